/**
 * A small HTTP client for the Kubernetes API. The tests have their own, because they must not check the product's
 * client with itself. One object is for one server and one user.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every kind
export type KubeObject = any;

export interface KubeAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  /** The parsed JSON, or the text. */
  body: KubeObject;
}

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject;
}

export interface KubeServer {
  url: string;
  /** Absent when the server needs none, as behind `kubectl proxy`. */
  token?: string;
  /** PEM. Absent for plain http. */
  ca?: string;
}

export class KubeHttp {
  readonly #server: KubeServer;
  readonly #agent: HttpAgent;
  readonly #watches = new Set<AbortController>();

  constructor(server: KubeServer) {
    this.#server = server;
    this.#agent = server.url.startsWith('https')
      ? new HttpsAgent({ keepAlive: true, ca: server.ca })
      : new HttpAgent({ keepAlive: true });
  }

  async #open(
    method: string,
    path: string,
    body?: unknown,
    type = 'application/json',
    signal?: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage> {
    const url = new URL(path, this.#server.url);
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method,
      agent: this.#agent,
      ...(signal && { signal }),
      headers: {
        ...(this.#server.token && { authorization: `Bearer ${this.#server.token}` }),
        accept: 'application/json',
        ...(payload !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(payload) }),
        ...headers,
      },
    });
    request.on('error', () => undefined); // the reader gets a broken answer
    request.end(payload);
    let response: IncomingMessage;
    try {
      [response] = (await once(request, 'response')) as [IncomingMessage];
    } catch (error) {
      // Retries on another connection when the server has just closed a kept one.
      if (!request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      return this.#open(method, path, body, type, signal, headers);
    }
    response.on('error', () => undefined);
    return response;
  }

  /** Makes one call. Returns any status; throws only for a broken connection. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    type?: string,
    headers?: Record<string, string>,
  ): Promise<KubeAnswer> {
    const response = await this.#open(method, path, body, type, undefined, headers);
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const json = /json/.test(response.headers['content-type'] ?? '');
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: json && text !== '' ? JSON.parse(text) : text,
    };
  }

  /** Makes one call that must return 2xx. Returns its body. */
  async ok(method: string, path: string, body?: unknown, type?: string): Promise<KubeObject> {
    const answer = await this.call(method, path, body, type);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body?.message ?? answer.body}`);
    return answer.body;
  }

  get = (path: string) => this.ok('GET', path);
  create = (path: string, object: unknown) => this.ok('POST', path, object);
  merge = (path: string, patch: unknown) => this.ok('PATCH', path, patch, 'application/merge-patch+json');

  /** Yields the events of a watch until the server ends it or `stop` is called. */
  watch(path: string): { events: AsyncIterable<WatchEvent>; answered: Promise<IncomingMessage>; stop: () => void } {
    const aborted = new AbortController();
    this.#watches.add(aborted);
    const answered = this.#open('GET', path, undefined, undefined, aborted.signal);
    answered.catch(() => undefined);
    const watches = this.#watches;
    async function* events(): AsyncGenerator<WatchEvent> {
      try {
        const response = await answered;
        let rest = '';
        for await (const chunk of response.setEncoding('utf8')) {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) yield JSON.parse(line) as WatchEvent;
        }
      } catch (error) {
        if (!aborted.signal.aborted) throw error;
      } finally {
        watches.delete(aborted);
      }
    }
    return { events: events(), answered, stop: () => aborted.abort() };
  }

  close(): void {
    for (const watch of this.#watches) watch.abort();
    this.#agent.destroy();
  }
}

/** Returns a kubeconfig with only this server. */
export function kubeconfigOf(server: KubeServer, namespace = 'default'): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'tests',
    clusters: [
      {
        name: 'tests',
        cluster: {
          server: server.url,
          ...(server.ca && { 'certificate-authority-data': Buffer.from(server.ca).toString('base64') }),
        },
      },
    ],
    users: [{ name: 'tests', user: { token: server.token } }],
    contexts: [{ name: 'tests', context: { cluster: 'tests', user: 'tests', namespace } }],
  });
}

/** Reads the credentials of a kubeconfig written by kubeconfigOf. */
export function credentialsIn(kubeconfig: string): { token: string; ca?: string } {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { 'certificate-authority-data'?: string } }[];
    users: { user: { token: string } }[];
  };
  const ca = clusters[0]!.cluster['certificate-authority-data'];
  return { token: users[0]!.user.token, ...(ca && { ca: Buffer.from(ca, 'base64').toString('utf8') }) };
}

/** Polls until `probe` returns a value. Throws an error with `what` after `seconds`. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  seconds = 30,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not within ${seconds} s${last ? `: ${last}` : ''}`);
}
