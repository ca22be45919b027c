/** The tus server, with all its refusals as JSON in the shape of every error answer. */
import { type CancellationContext, Server } from '@tus/server';

export class JsonServer extends Server {
  readonly #errorBody: (status: number, text: string) => string;

  /** `errorBody`: the body for a refusal of the protocol's own, which is plain text. */
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
