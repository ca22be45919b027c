/** A fake of the server: answers by method and path and records the calls. Uses no code of the console. */
export interface FakeCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

type Answer = (call: FakeCall) => unknown;

/** An answer with a status of its own; any other value of an Answer is the body of a 200. */
export class FakeAnswer {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, body?: unknown) {
    this.status = status;
    this.body = body;
  }
}

/** The api's error shape. */
export function apiError(
  status: number,
  code: string,
  display: string | null = null,
  details: object | null = null,
): FakeAnswer {
  return new FakeAnswer(status, { id: '7F3K-2Q9D', code, message: code, DISPLAY_ERROR_MESSAGE: display, details });
}

/**
 * `routes` by "METHOD /path"; a segment `*` matches any one. The last added route wins, so that a test can replace
 * one.
 */
export class FakeApi {
  readonly calls: FakeCall[] = [];
  readonly #routes = new Map<string, Answer>();

  on(route: string, answer: Answer | object | string | number | null): this {
    this.#routes.set(route, typeof answer === 'function' ? (answer as Answer) : () => answer);
    return this;
  }

  called(route: string): FakeCall[] {
    return this.calls.filter((call) => matches(route, `${call.method} ${call.path}`));
  }

  fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? input : new Request(new URL(input, 'http://localhost'), init);
    const url = new URL(request.url);
    const text = await request.text();
    const call: FakeCall = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text ? parse(text) : undefined,
    };
    this.calls.push(call);
    const route = [...this.#routes.keys()].reverse().find((key) => matches(key, `${call.method} ${call.path}`));
    if (!route) return toResponse(apiError(404, 'not_found', `no fake answer for ${call.method} ${call.path}`));
    return toResponse(await this.#routes.get(route)?.(call));
  };
}

function toResponse(answer: unknown): Response {
  if (answer instanceof Response) return answer;
  const { status, body } = answer instanceof FakeAnswer ? answer : new FakeAnswer(200, answer);
  if (body === undefined || body === null) return new Response(null, { status: status === 200 ? 204 : status });
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
}

function matches(route: string, actual: string): boolean {
  const [wanted, given] = [route.split('/'), actual.split('/')];
  return (
    wanted.length === given.length && wanted.every((segment, index) => segment === '*' || segment === given[index])
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
