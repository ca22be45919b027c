/** The changing credentials of a KubeConfig: rotated token files and expiring tokens of exec plugins. */

import { createHash } from 'node:crypto';
import type { AgentOptions, RequestOptions } from 'node:https';
import type { DispatcherOptions, KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import type { Connection } from './access.ts';

/** Interval for reading files again. KubeConfig itself caches tokens of exec plugins and OIDC until they expire. */
const REFRESH_MS = 10_000;
/** Limit for an exec plugin, so that a hanging one cannot block requests forever. */
const APPLY_LIMIT_MS = 60_000;

export class Credentials {
  #config: KubeConfig;
  readonly #reload: () => Promise<KubeConfig>;
  #current: { from: number; connection: Promise<Connection> } | undefined;
  /** The last connection returned. */
  #known: Connection | undefined;

  /** `reload` reads the files again and drops cached tokens. */
  constructor(config: KubeConfig, reload: () => Promise<KubeConfig>) {
    this.#config = config;
    this.#reload = reload;
  }

  /** Concurrent requests share one run of the plugin. */
  connection(rejected?: Connection): Promise<Connection> {
    const isRejected = rejected !== undefined && rejected === this.#known;
    if (this.#current && !isRejected && performance.now() - this.#current.from < REFRESH_MS)
      return this.#current.connection;
    this.#known = undefined;
    const connection = within(APPLY_LIMIT_MS, this.#apply(isRejected));
    const current = { from: performance.now(), connection };
    this.#current = current;
    connection.then(
      (made) => {
        if (this.#current === current) this.#known = made;
      },
      () => {
        if (this.#current === current) this.#current = undefined;
      },
    );
    return connection;
  }

  async #apply(reload: boolean): Promise<Connection> {
    if (reload) this.#config = await this.#reload();
    const config = this.#config;
    const user = config.getCurrentUser();
    const options: RequestOptions = {};
    try {
      await config.applyToHTTPSOptions(options);
    } catch (error) {
      throw new Error(`credentials of user "${user?.name}": ${(error as Error).message}`, { cause: error });
    }
    const headers = headersOf(options);
    if ((user?.exec || user?.authProvider) && !headers['Authorization'] && !options.cert)
      throw new Error(`credentials of user "${user.name}": the plugin or auth-provider returned no token`);
    const dispatcher = config.createDispatcherOptions(config.getCurrentCluster(), tlsOf(options));
    return { headers, identity: identityOf(dispatcher), connect: () => dispatcherOf(dispatcher) };
  }
}

/** Trims a token, because a file may end in a line break, which headers must not contain. */
function headersOf({ headers = {}, auth }: RequestOptions): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name, `${value}`.trim()]);
  return {
    ...(auth && { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
    ...Object.fromEntries(given),
  };
}

function tlsOf(options: RequestOptions): AgentOptions {
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
  return { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
}

const identityOf = (options: DispatcherOptions): string =>
  createHash('sha256').update(JSON.stringify(options)).digest('base64');

/** Same values as client-node: TCP finds a half-open connection within 40 s, and proxies keep idle ones. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 30_000 };

/**
 * HTTP/1.1 with one connection per watch. With HTTP/2 all requests would share one connection, and a watch restarted
 * after a half-open connection would use the same one again.
 */
function dispatcherOf(options: DispatcherOptions): Dispatcher {
  switch (options.type) {
    case 'proxy':
      return new ProxyAgent({
        uri: options.uri,
        proxyTls: KEEP_ALIVE,
        requestTls: { ...options.requestTls, allowH2: false },
        allowH2: false,
      });
    case 'socks':
      return new Socks5ProxyAgent(options.uri, { requestTls: options.requestTls, allowH2: false });
    case 'agent':
      return new Agent({ connect: { ...options.connect, allowH2: false }, allowH2: false });
    case 'none':
      return new Agent({ connect: { ...KEEP_ALIVE, allowH2: false }, allowH2: false });
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`credentials: no answer within ${ms / 1000} s`)), ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
