/**
 * A reverse proxy between our processes and the API server that fails like networks and overloaded servers: rejects
 * requests, breaks connections, silences watches, and stops at a request so that a process can be killed at that
 * moment.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface ProxiedRequest {
  method: string;
  path: string;
  /** `operator` or `api`, by the User-Agent. */
  from: string;
  body: string;
}

export type Matcher = (request: ProxiedRequest) => boolean;

/** `before`: the API server has not seen the request. `after`: it has carried it out, but the answer is lost. */
export type Moment = 'before' | 'after';

interface Hook {
  moment: Moment;
  matches: Matcher;
  reached: (request: ProxiedRequest) => void;
}

const isWatch = (path: string): boolean => path.includes('watch=true');

export class FaultyProxy {
  readonly #target: { url: string; ca: string };
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answers = new Set<{ status: number; matches: Matcher }>();
  readonly #streams = new Set<{ from: IncomingMessage; to: ServerResponse }>();
  #hooks: Hook[] = [];
  #isAway = false;

  private constructor(target: { url: string; ca: string }) {
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ca: target.ca });
    this.#server = createServer((req, res) => void this.#handle(req, res).catch(() => res.destroy()));
    this.#server.on('connection', (socket: Socket) => {
      if (this.#isAway) return socket.destroy();
      this.#sockets.add(socket);
      return socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    });
  }

  static async start(target: { url: string; ca: string }): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Rejects matching requests with that status until the returned function is called. */
  answer(status: number, matches: Matcher = () => true): () => void {
    const rule = { status, matches };
    this.#answers.add(rule);
    this.#endStreams();
    return () => this.#answers.delete(rule);
  }

  /** Breaks all connections and accepts none until the returned function is called. */
  away(): () => void {
    this.#isAway = true;
    for (const socket of this.#sockets) socket.destroy();
    return () => {
      this.#isAway = false;
    };
  }

  /** Silences the open watches, including their end. Later watches work. */
  silence(): void {
    for (const { from, to } of this.#streams) {
      from.unpipe(to);
      from.resume();
    }
    this.#streams.clear();
  }

  /** Calls `reached` at the next matching request, then breaks its connection. */
  stopAt(moment: Moment, matches: Matcher, reached: (request: ProxiedRequest) => void): void {
    this.#hooks.push({ moment, matches, reached });
  }

  /** Removes hooks that were not reached. */
  forget(): void {
    this.#hooks = [];
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  #endStreams(): void {
    for (const { to } of this.#streams) to.destroy();
    this.#streams.clear();
  }

  /** Removes and returns the first hook that matches the request. */
  #hookAt(moment: Moment, request: ProxiedRequest): Hook | undefined {
    const hook = this.#hooks.find((one) => one.moment === moment && one.matches(request));
    if (hook) this.#hooks = this.#hooks.filter((one) => one !== hook);
    return hook;
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    res.on('error', () => undefined);
    let body = '';
    for await (const chunk of req.setEncoding('utf8')) body += chunk;
    const from = /seqpanel-(\w+)/.exec(req.headers['user-agent'] ?? '')?.[1] ?? '';
    const request: ProxiedRequest = { method: req.method ?? 'GET', path: req.url ?? '/', from, body };

    const refused = [...this.#answers].find(({ matches }) => matches(request));
    if (refused) return refuse(res, refused.status);
    const before = this.#hookAt('before', request);
    if (before) {
      before.reached(request);
      return void res.destroy();
    }
    const answer = await this.#forward(req, body);
    if (isWatch(request.path)) return this.#stream(answer, res);
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    const after = this.#hookAt('after', request);
    if (after) {
      after.reached(request);
      return void res.destroy();
    }
    res.writeHead(answer.statusCode ?? 502, withoutTransfer(answer.headers)).end(Buffer.concat(parts));
  }

  #stream(answer: IncomingMessage, res: ServerResponse): void {
    res.writeHead(answer.statusCode ?? 502, withoutTransfer(answer.headers));
    res.flushHeaders();
    const stream = { from: answer, to: res };
    this.#streams.add(stream);
    answer.pipe(res);
    answer.on('error', () => {
      if (this.#streams.delete(stream)) res.destroy();
    });
    res.on('close', () => {
      this.#streams.delete(stream);
      answer.destroy();
    });
  }

  async #forward(req: IncomingMessage, body: string): Promise<IncomingMessage> {
    const { host: _, 'transfer-encoding': __, ...headers } = req.headers;
    const upstream = httpsRequest(new URL(req.url ?? '/', this.#target.url), {
      method: req.method ?? 'GET',
      agent: this.#agent,
      headers: { ...headers, ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }) },
    });
    upstream.end(body === '' ? undefined : body);
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    return answer;
  }
}

function withoutTransfer(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { 'transfer-encoding': _, connection: __, ...rest } = headers;
  return rest;
}

/** Errors as from the API server. A 429 sets Retry-After to one second, like priority and fairness. */
function refuse(res: ServerResponse, status: number): void {
  const reason = { 410: 'Expired', 429: 'TooManyRequests', 500: 'InternalError' }[status] ?? 'Unknown';
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code: status, message: `a ${status}` };
  res.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) });
  res.end(JSON.stringify(body));
}
