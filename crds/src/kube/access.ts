/** Access to the API server: its address and the current credentials. */

import type { Dispatcher } from 'undici';

export interface Connection {
  /** Authorization and Impersonate-User. */
  headers: Record<string, string>;
  /** Changes when `connect` would use another CA, client certificate, server name or proxy. */
  identity: string;
  /** Creates a connection pool. */
  connect(): Dispatcher;
}

export interface KubeAccess {
  /** Base URL without a trailing slash. Contains no password, because it is logged. */
  server: string;
  /** Namespace of the context or of the service account. */
  namespace: string | undefined;
  /**
   * Returns the connection for the next request. Pass the connection that got a 401 as `rejected` to reload the
   * credentials. Throws an Error when there are none, for example when an exec plugin fails.
   */
  connection(rejected?: Connection): Promise<Connection>;
}
