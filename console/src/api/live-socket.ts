import { session } from '../session/session.ts';
import { LiveConnection } from './live.ts';

function open(): WebSocket {
  const url = new URL('/ws', window.location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(url);
}

/** The console's one websocket, with the token of the session. */
export const live = new LiveConnection(
  open as () => ReturnType<ConstructorParameters<typeof LiveConnection>[0]>,
  () => session.get()?.token,
);

let shown: string | undefined;
session.subscribe(() => {
  const token = session.get()?.token;
  if (token !== shown) live.renew();
  shown = token;
});
