import { freshApi } from '../../test-support/fresh-api.ts';

const fresh = freshApi();

test('[API-11] [AUTH-16] verify answers whether a token is valid', async () => {
  const verify = (token: string) => fresh.api.call('POST', `/api/v1/pivat/api-token-verify/`, { body: { token } });
  expect(await verify(fresh.user.token)).toMatchObject({ status: 200, body: { valid: true } });
  expect(await verify(`${fresh.user.token.slice(0, -4)}AAAA`)).toMatchObject({
    status: 401,
    body: { code: 'token_invalid' },
  });
  expect((await verify(fresh.user.token)).status).toBe(200);
  expect((await verify('x')).body.DISPLAY_ERROR_MESSAGE).toBe('The token is invalid. Please log in again!');
});

test('a token without a signature, or made for a file, opens nothing', async () => {
  const [, payload] = fresh.user.token.split('.');
  const none = `${Buffer.from('{"alg":"none","typ":"access"}').toString('base64url')}.${payload}.`;
  expect((await fresh.profile(none)).status).toBe(401);
  expect((await fresh.profile((await fresh.api.tokens.signFile('x')).token)).status).toBe(401);
});

test('[API-13] refresh gives a new access token and the next refresh token', async () => {
  fresh.api.advance(16 * 60);
  expect((await fresh.profile(fresh.user.token)).status).toBe(401);
  const { status, body } = await fresh.refresh(fresh.user.refresh);
  expect(status).toBe(200);
  expect((await fresh.profile(body.access)).status).toBe(200);
  expect(body.refresh).not.toBe(fresh.user.refresh);
  expect((await fresh.refresh(body.refresh)).status).toBe(200);
});

test('two tabs may refresh at the same time', async () => {
  const [a, b] = await Promise.all([fresh.refresh(fresh.user.refresh), fresh.refresh(fresh.user.refresh)]);
  expect([a.status, b.status]).toEqual([200, 200]);
  expect((await fresh.refresh(a.body.refresh)).status).toBe(200);
  expect((await fresh.refresh(b.body.refresh)).status).toBe(200);
});

test('a token used again later ends its whole session', async () => {
  const { body } = await fresh.refresh(fresh.user.refresh);
  fresh.api.advance(60);
  expect((await fresh.refresh(fresh.user.refresh)).status).toBe(401);
  expect((await fresh.refresh(body.refresh)).status).toBe(401);
  expect((await fresh.profile(body.access)).status).toBe(401);
});

test('a session ends a week after its login, however often it was refreshed', async () => {
  let token = fresh.user.refresh;
  for (let hour = 0; hour < 7 * 24 - 20; hour += 20) {
    fresh.api.advance(20 * 3600);
    token = (await fresh.refresh(token)).body.refresh;
  }
  fresh.api.advance(21 * 3600);
  expect((await fresh.refresh(token)).status).toBe(401);
});

test('[API-16] [AUTH-19] after logout neither token gives access', async () => {
  const { status } = await fresh.api.call('POST', '/auth/logout/', {
    token: fresh.user.token,
    body: { refresh_token: fresh.user.refresh },
  });
  expect(status).toBe(204);
  expect((await fresh.refresh(fresh.user.refresh)).status).toBe(401);
  expect((await fresh.profile(fresh.user.token)).status).toBe(401);
});
