import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';

let api: TestApi;
let group: string;
beforeAll(async () => {
  api = await startApi();
  group = await api.addGroup();
});
afterAll(() => api?.close());

async function addBeginner(): Promise<TestUser> {
  const user = await api.addUser({ groups: { [group]: 'admin' } });
  await api.deps.db('app_user').where({ id: user.id }).update({ must_change_password: true });
  return user;
}

describe('with a one-time password', () => {
  test('a session can be verified, refreshed and ended', async () => {
    const user = await addBeginner();
    const post = (path: string, body: object, token?: string) => api.call('POST', path, { body, token });
    expect((await post('/api/v1/pivat/api-token-verify', { token: user.token })).status).toBe(200);
    const refreshed = await post('/api/v1/pivat/api-token-refresh', { refresh: user.refresh });
    expect(refreshed.status).toBe(200);
    const { access, refresh } = refreshed.body;
    expect((await post('/auth/logout', { refresh_token: refresh }, access)).status).toBe(204);
  });

  test('after the change all calls are allowed in the same session', async () => {
    const user = await addBeginner();
    const list = () => api.call('GET', `/api/v1/pivat/${group}/projects`, { token: user.token });
    expect((await list()).body.code).toBe('password_change_required');
    const body = { current_password: user.password, new_password: 'Newer-Horse8', repeat_password: 'Newer-Horse8' };
    const { status } = await api.call('POST', '/api/v1/pivat/profile/password', { token: user.token, body });
    expect(status).toBe(204);
    expect((await list()).status).toBe(200);
  });
});
