/** tus server whose rejections are JSON like every other error answer. */
import { type CancellationContext, Server } from '@tus/server';

export class JsonServer extends Server {
  readonly #errorBody: (status: number, text: string) => string;

  /** `errorBody`: returns the body for a rejection by the protocol, which is plain text. */
  constructor(options: ConstructorParameters<typeof Server>[0], errorBody: (status: number, text: string) => string) {
    super(options);
    this.#errorBody = errorBody;
  }

  override write(context: CancellationContext, headers: Headers, status: number, body = '') {
    const json = status >= 400 && !body.startsWith('{') ? this.#errorBody(status, body.trim()) : body;
    if (json.startsWith('{')) headers.set('Content-Type', 'application/json');
    return super.write(context, headers, status, json);
  }
}
