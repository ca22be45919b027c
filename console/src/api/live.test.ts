import { jest } from '@jest/globals';
import { DOWN_AFTER_MS, LiveConnection, type LiveEvent } from './live.ts';

class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  sent: string[] = [];
  isClosed = false;
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.isClosed = true;
  }
  say(event: unknown): void {
    this.onmessage?.({ data: typeof event === 'string' ? event : JSON.stringify(event) });
  }
}

function connection() {
  const sockets: FakeSocket[] = [];
  const state = { token: 't1' as string | undefined };
  const live = new LiveConnection(
    () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    () => state.token,
  );
  const events: LiveEvent[] = [];
  return { live, sockets, state, events, last: () => sockets.at(-1) as FakeSocket };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('the token is the first message; the connection is live after the server’s ready', () => {
  const { live, last, events } = connection();
  live.listen((event) => events.push(event));
  last().onopen?.();
  expect(last().sent).toEqual(['{"token":"t1"}']);
  expect(live.get()).toBe('connecting');
  last().say({ type: 'ready' });
  expect(live.get()).toBe('live');
  last().say({ type: 'task', id: 'x' });
  last().say('not json');
  expect(events).toEqual([{ type: 'task', id: 'x' }]);
});

test('a connection lost for more than 5 s is down, so pages poll', () => {
  const { live, last } = connection();
  live.listen(() => undefined);
  last().onopen?.();
  last().say({ type: 'ready' });
  last().onclose?.();
  jest.advanceTimersByTime(DOWN_AFTER_MS - 1);
  expect(live.get()).toBe('connecting');
  jest.advanceTimersByTime(1);
  expect(live.get()).toBe('down');
});

test('after a gap listeners get resync', () => {
  const { live, last, sockets, events } = connection();
  live.listen((event) => events.push(event));
  last().onopen?.();
  last().say({ type: 'ready' });
  last().onclose?.();
  jest.advanceTimersByTime(1_000);
  expect(sockets).toHaveLength(2);
  last().onopen?.();
  last().say({ type: 'ready' });
  expect(events).toEqual([{ type: 'resync' }]);
});

test('a renewed token is sent without a new connection', () => {
  const { live, last, state, sockets, events } = connection();
  live.listen((event) => events.push(event));
  last().onopen?.();
  last().say({ type: 'ready' });
  state.token = 't2';
  live.renew();
  last().say({ type: 'ready' });
  expect(last().sent).toEqual(['{"token":"t1"}', '{"token":"t2"}']);
  expect([sockets.length, events]).toEqual([1, []]);
});

test('the socket closes after the last listener and does not reconnect', () => {
  const { live, last, sockets } = connection();
  const stop = live.listen(() => undefined);
  stop();
  expect(last().isClosed).toBe(true);
  jest.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
});
