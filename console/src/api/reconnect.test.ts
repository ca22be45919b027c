import { createReconnectState, reloadOnce } from './reconnect.ts';

function environment() {
  window.sessionStorage.clear();
  const state = { now: 100_000, reloads: 0, answer: () => {} };
  const env = {
    storage: window.sessionStorage,
    reload: () => void state.reloads++,
    now: () => state.now,
    reachable: () => new Promise<void>((resolve) => (state.answer = resolve)),
  };
  return { state, env };
}
const settled = () => new Promise((resolve) => setTimeout(resolve));

test('[ERR-08] the page reloads as soon as the server answers', async () => {
  const { state, env } = environment();
  expect(reloadOnce(env)).toBe(true);
  await settled();
  expect(state.reloads).toBe(0);
  state.answer();
  await settled();
  expect(state.reloads).toBe(1);
});

test('after a reload that did not help, the page shows the error instead of reloading', async () => {
  const { state, env } = environment();
  reloadOnce(env);
  state.now += 29_000;
  expect(reloadOnce(env)).toBe(false);
  state.now += 1_000;
  expect(reloadOnce(env)).toBe(true);
});

test('listeners of the banner are called on changes only', () => {
  const banner = createReconnectState();
  let told = 0;
  banner.subscribe(() => told++);
  banner.set(1);
  banner.set(1);
  banner.set(0);
  expect(told).toBe(2);
});
