/**
 * HTTP to one API server over one shared undici pool. Only the pool and `request` of undici are loaded: its main
 * module brings fetch, WebSocket and caches and costs 13 MB of memory more.
 */

import { createRequire } from 'node:module';
import type { Dispatcher, Pool } from 'undici';
import { ConnectionError, errorFor, isAbort } from './errors.ts';
import type { KubeAccess } from './kubeconfig.ts';
import type { StatusBody } from './objects.ts';

const require = createRequire(import.meta.url);
const PoolOf = require('undici/lib/dispatcher/pool.js') as typeof Pool;
const requestOf = require('undici/lib/api/api-request.js') as (
  this: Dispatcher,
  options: Dispatcher.RequestOptions,
) => Promise<Dispatcher.ResponseData>;

/** Longest wait for the head of an answer, ms. The API server's own limit for a request is 60 s. */
const HEADERS_TIMEOUT_MS = 65_000;
const CONNECT_TIMEOUT_MS = 10_000;

export interface KubeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  path: string;
  body?: unknown;
  contentType?: string;
  /** Default: application/json. */
  accept?: string;
  /** The body is read as it comes: no time limit between two parts of it. */
  stream?: boolean;
  signal: AbortSignal;
}

export type KubeBody = Dispatcher.ResponseData['body'];

export class Transport {
  readonly #pool: Pool;
  readonly #access: KubeAccess;
  readonly #userAgent: string;

  constructor(access: KubeAccess, userAgent: string) {
    this.#access = access;
    this.#userAgent = userAgent;
    this.#pool = new PoolOf(new URL(access.server).origin, {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connect: {
        timeout: CONNECT_TIMEOUT_MS,
        rejectUnauthorized: !access.insecure,
        ...(access.ca && { ca: access.ca }),
        ...(access.cert && { cert: access.cert }),
        ...(access.key && { key: access.key }),
      },
    });
  }

  /** Answers the body of a 2xx. Throws KubeError, ConnectionError, or the signal's reason as an AbortError. */
  async send(request: KubeRequest): Promise<KubeBody> {
    let answer = await this.#attempt(request, this.#access.token());
    if (answer.statusCode === 401) {
      // A renewed token file is seen at once instead of at its next reading.
      await answer.body.dump();
      answer = await this.#attempt(request, this.#access.token(true));
    }
    if (answer.statusCode >= 300) throw await this.#refused(answer);
    return answer.body;
  }

  async json<T>(request: KubeRequest): Promise<T> {
    const body = await this.send(request);
    try {
      return (await body.json()) as T;
    } catch (error) {
      throw noAnswer(error, request);
    }
  }

  /** The body as it stands, for what is no object. */
  async text(request: KubeRequest): Promise<string> {
    const body = await this.send(request);
    try {
      return await body.text();
    } catch (error) {
      throw noAnswer(error, request);
    }
  }

  /** Closes all connections; what is under way fails. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #attempt(request: KubeRequest, token: string | undefined): Promise<Dispatcher.ResponseData> {
    request.signal.throwIfAborted();
    try {
      return await requestOf.call(this.#pool, {
        path: request.path,
        method: request.method,
        headers: {
          accept: request.accept ?? 'application/json',
          'user-agent': this.#userAgent,
          ...(token && { authorization: `Bearer ${token}` }),
          ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
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

/** What undici threw, as a ConnectionError that names the call; an abort by the caller stays what it is. */
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
    // A proxy's page, not the API server's.
  }
  return text ? { message: text.slice(0, 300) } : {};
}
