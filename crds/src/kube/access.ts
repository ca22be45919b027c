/** How the API server is reached: its address, and the credentials that are valid now. */

import type { Dispatcher } from 'undici';

export interface Connection {
  /** Authorization, Impersonate-User. */
  headers: Record<string, string>;
  /** Changes when `connect` would use another CA, client certificate, server name or proxy. */
  identity: string;
  /** Makes a pool of connections. */
  connect(): Dispatcher;
}

export interface KubeAccess {
  /** Base URL without a trailing slash; never with a password, because it is logged. */
  server: string;
  /** Namespace of the context or of the service account. */
  namespace: string | undefined;
  /**
   * The connection to use for the next request. `rejected` is one that the server answered 401 to: the credentials
   * are then loaded again. Throws an Error when there are none, such as when an exec plugin fails.
   */
  connection(rejected?: Connection): Promise<Connection>;
}
