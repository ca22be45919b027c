/** HTTP requests to one API server with the current credentials. */

import type { Dispatcher } from 'undici';
import type { Connection, KubeAccess } from './access.ts';
import { ConnectionError, errorFor, isAbort } from './errors.ts';
import type { StatusBody } from './objects.ts';

/** Longest wait for the head of an answer, ms. The API server limits a request to 60 s. */
const HEADERS_TIMEOUT_MS = 65_000;

export interface KubeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  path: string;
  body?: unknown;
  contentType?: string;
  /** Default: application/json. */
  accept?: string;
  /** Streams the body, without a time limit between two chunks. */
  stream?: boolean;
  signal: AbortSignal;
}

export type KubeBody = Dispatcher.ResponseData['body'];

export interface TransportOptions {
  userAgent: string;
  /** Called before each attempt, after credentials are available. The request throws what it throws. */
  beforeSend?: ((method: KubeRequest['method']) => void) | undefined;
}

export class Transport {
  readonly #access: KubeAccess;
  readonly #origin: string;
  readonly #options: TransportOptions;
  #pool: { identity: string; dispatcher: Dispatcher } | undefined;
  #isClosed = false;

  constructor(access: KubeAccess, options: TransportOptions) {
    this.#access = access;
    this.#origin = new URL(access.server).origin;
    this.#options = options;
  }

  /** Returns the body of a 2xx. Throws KubeError, ConnectionError, or the signal's reason as an AbortError. */
  async send(request: KubeRequest): Promise<KubeBody> {
    const connection = await this.#connection(request);
    let answer = await this.#attempt(request, connection);
    if (answer.statusCode === 401) {
      // The token was renewed or has expired. Load the credentials again.
      await answer.body.dump();
      answer = await this.#attempt(request, await this.#connection(request, connection));
    }
    if (answer.statusCode >= 300) throw await this.#refused(answer);
    return answer.body;
  }

  async json<T>(request: KubeRequest): Promise<T> {
    return (await this.sized<T>(request)).value;
  }

  /** Returns the parsed body and the length of its text. */
  async sized<T>(request: KubeRequest): Promise<{ value: T; bytes: number }> {
    const text = await this.text(request);
    try {
      return { value: JSON.parse(text) as T, bytes: text.length };
    } catch (error) {
      throw noAnswer(error, request);
    }
  }

  /** Returns the body as text. */
  async text(request: KubeRequest): Promise<string> {
    const body = await this.send(request);
    try {
      return await body.text();
    } catch (error) {
      throw noAnswer(error, request);
    }
  }

  /** Closes all connections. Pending requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.dispatcher.destroy();
  }

  /** Waits for credentials, but no longer than the caller. */
  async #connection(request: KubeRequest, rejected?: Connection): Promise<Connection> {
    request.signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(request.signal.reason as Error);
    request.signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([this.#access.connection(rejected), aborted]);
    } catch (error) {
      throw noAnswer(error, request);
    } finally {
      request.signal.removeEventListener('abort', stop);
    }
  }

  #dispatcher(connection: Connection): Dispatcher {
    if (this.#isClosed) throw new ConnectionError('the client is closed', 'CLOSED');
    if (this.#pool?.identity !== connection.identity) {
      // Pending requests end on their connections. Time limits end the remaining watches.
      void this.#pool?.dispatcher.close().catch(() => undefined);
      this.#pool = { identity: connection.identity, dispatcher: connection.connect() };
    }
    return this.#pool.dispatcher;
  }

  async #attempt(request: KubeRequest, connection: Connection): Promise<Dispatcher.ResponseData> {
    request.signal.throwIfAborted();
    this.#options.beforeSend?.(request.method);
    try {
      return await this.#dispatcher(connection).request({
        origin: this.#origin,
        path: request.path,
        method: request.method,
        headers: {
          ...connection.headers,
          accept: request.accept ?? 'application/json',
          'user-agent': this.#options.userAgent,
          ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        headersTimeout: HEADERS_TIMEOUT_MS,
        ...(request.stream && { bodyTimeout: 0 }),
        signal: request.signal,
      });
    } catch (error) {
      throw noAnswer(error, request);
    }
  }

  async #refused(answer: Dispatcher.ResponseData): Promise<Error> {
    const text = await answer.body.text().catch(() => '');
    const after = Number(answer.headers['retry-after']);
    return errorFor(answer.statusCode, statusBody(text), Number.isFinite(after) ? after : undefined);
  }
}

/** Converts an error of undici to a ConnectionError that names the call. Keeps an abort by the caller. */
export function noAnswer(error: unknown, request: Pick<KubeRequest, 'method' | 'path' | 'signal'>): Error {
  if (request.signal.aborted || isAbort(error)) return error as Error;
  const cause = error as NodeJS.ErrnoException;
  return new ConnectionError(
    `${request.method} ${request.path.split('?')[0]}: ${cause.message || cause.code || 'no answer'}`,
    cause.code ?? 'UNKNOWN',
    error,
  );
}

function statusBody(text: string): StatusBody {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body as StatusBody;
  } catch {
    // The page of a proxy, not an answer of the API server.
  }
  return text ? { message: text.slice(0, 300) } : {};
}
