/** The tus server, with its refusals as JSON: ours have the shape of every error answer. */
import { type CancellationContext, Server } from '@tus/server';

export class JsonServer extends Server {
  override write(context: CancellationContext, headers: Headers, status: number, body?: string) {
    if (body?.startsWith('{')) headers.set('Content-Type', 'application/json');
    return super.write(context, headers, status, body);
  }
}
