/** The listening server of the public port, with its limits on connections and headers. */
import { createServer, type RequestListener, type Server } from 'node:http';

/** Time for the headers of a request, from its first byte. */
const HEADERS_MS = 20_000;
/** How often that is checked. */
const CHECK_MS = 5_000;
/** Longer than the 60 s of a usual proxy, which otherwise sends a request into a connection that closes. */
const KEEP_ALIVE_MS = 65_000;
/** A connection on which nothing moves for longer than a request may take (600 s) is closed: its client does not read. */
const IDLE_MS = 660_000;
/** Each costs about 10 kB, and more while a request is served. */
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
      // Of bodies body-limits.ts takes the time: an upload's part may take hours.
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
