/** Server of the public port, with limits on connections and headers. */
import { createServer, type RequestListener, type Server } from 'node:http';

/** Time limit for a request's headers, from their first byte. */
const HEADERS_MS = 20_000;
/** Interval of that check. */
const CHECK_MS = 5_000;
/** Longer than the usual 60 s of a proxy, which would otherwise send a request on a connection that is closing. */
const KEEP_ALIVE_MS = 65_000;
/** Closes a connection that is idle for longer than a request may take (600 s), because its client does not read. */
const IDLE_MS = 660_000;
/** Each costs about 10 kB, and more during a request. */
const MAX_CONNECTIONS = 5_000;
const MAX_HEADERS = 100;

export interface ServerLimits {
  headersMs: number;
  checkMs: number;
}

export function createHttpServer(
  app: RequestListener,
  { headersMs, checkMs }: ServerLimits = { headersMs: HEADERS_MS, checkMs: CHECK_MS },
): Server {
  const server = createServer(
    {
      // body-limits.ts limits the time of bodies. One part of an upload may take hours.
      requestTimeout: 0,
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = MAX_HEADERS;
  server.timeout = IDLE_MS;
  return server;
}
