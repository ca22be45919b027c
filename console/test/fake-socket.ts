import { act } from '@testing-library/react';

/** A websocket through which a test sends the server's events. Importing it replaces the window's. */
export class FakeSocket {
  static last: FakeSocket | undefined;
  onmessage: ((event: { data: string }) => void) | null = null;
  constructor() {
    FakeSocket.last = this;
  }
  send(): void {}
  close(): void {}
}
window.WebSocket = FakeSocket as unknown as typeof WebSocket;

/** Accepts the console's token, then sends an event. */
export const sendEvent = (event: { type: string; [field: string]: unknown }): Promise<void> =>
  act(async () => {
    for (const each of [{ type: 'ready' }, event]) FakeSocket.last?.onmessage?.({ data: JSON.stringify(each) });
  });
