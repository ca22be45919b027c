import '@testing-library/jest-dom';
import { configure } from '@testing-library/react';
import { OtherTabs } from './other-tabs.ts';

// The first test of a file waits for the lazy chunks to be compiled.
configure({ asyncUtilTimeout: 10_000 });

// Node's BroadcastChannel keeps the process open, and jsdom has no matchMedia, ResizeObserver or canvas.
class SilentObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
/** Never connects, because no test may wait for a server. */
class SilentSocket {
  send(): void {}
  close(): void {}
}
Object.assign(globalThis, {
  __APP_VERSION__: '0.0.0-test',
  BroadcastChannel: OtherTabs,
  ResizeObserver: SilentObserver,
  WebSocket: SilentSocket,
  IntersectionObserver: SilentObserver,
});
window.matchMedia ??= (query: string) =>
  ({ matches: false, media: query, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList;
window.innerWidth = 1280;
window.scrollTo = () => undefined;
HTMLCanvasElement.prototype.getContext = () => null;
Element.prototype.scrollIntoView ??= () => undefined;
