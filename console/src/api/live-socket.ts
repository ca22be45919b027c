import { session } from '../session/session.ts';
import { LiveConnection } from './live.ts';

/** The console's one websocket, with the token of the session. */
export const live = new LiveConnection(() => {
  const token = session.get()?.token;
  if (!token) return undefined;
  const url = new URL('/ws', window.location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  // A browser's websocket sends no headers: the token goes as a subprotocol, which no log or history keeps.
  return new WebSocket(url, ['seqpanel', `bearer.${token}`]) as unknown as ReturnType<
    ConstructorParameters<typeof LiveConnection>[0]
  >;
});
