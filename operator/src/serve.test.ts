import { networkInterfaces } from 'node:os';
import { Registry } from 'prom-client';
import { serve } from './serve.ts';

const isReached = (host: string, port: number): Promise<boolean> =>
  fetch(`http://${host}:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
const has6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

test('without a host it listens on every address, including IPv6 where available', async () => {
  const { server, port } = await serve({ host: undefined, port: 0, registry: new Registry(), ready: () => true });
  try {
    expect([await isReached('127.0.0.1', port), await isReached('[::1]', port)]).toEqual([true, has6]);
  } finally {
    server.close();
  }
});

test('it is not ready before its caches are filled', async () => {
  const { server, port } = await serve({ host: '127.0.0.1', port: 0, registry: new Registry(), ready: () => false });
  try {
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
    expect(await isReached('127.0.0.1', port)).toBe(true);
  } finally {
    server.close();
  }
});
