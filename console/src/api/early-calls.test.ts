import { sendEarly, takeEarly } from './early-calls.ts';

const PATH = '/api/v1/pivat/api-token-verify';
const post = (path: string) => new Request(new URL(path, 'http://localhost'), { method: 'POST', body: '{}' });

test('the answer of a call that was sent early is taken over once', async () => {
  let calls = 0;
  window.fetch = (async () => {
    calls++;
    return new Response('{"valid":true}');
  }) as typeof window.fetch;
  sendEarly(PATH, { token: 't1' });
  expect(takeEarly(post('/auth/login'))).toBeUndefined();
  expect(await (await takeEarly(post(PATH)))?.json()).toEqual({ valid: true });
  expect(takeEarly(post(PATH))).toBeUndefined();
  expect(calls).toBe(1);
});
