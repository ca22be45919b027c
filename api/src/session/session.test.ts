import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PASSWORD, startApi, type TestApi } from '../../test-support/api.ts';

let api: TestApi;
let group: string;

beforeAll(async () => {
  api = await startApi();
  group = await api.addGroup();
});
afterAll(() => api.close());

const login = (username: string | undefined, password: string | undefined) =>
  api.call('POST', '/auth/login', { body: { username, password } });

describe('login', () => {
  test('[AUTH-04] [API-10] [AUTH-14] [AUTH-15] a right password gives both tokens and the session values', async () => {
    const user = await api.addUser({ groups: { [group]: 'admin' } });
    const { status, body } = await login(user.username, PASSWORD);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token: expect.any(String), refresh_token: expect.any(String) });
    expect(body.profile).toMatchObject({
      user_id: user.id,
      username: user.username,
      is_staff: false,
      is_superuser: false,
      lang: 'en',
      auto_logout_timeout: null,
      default_auto_logout_timeout: 30,
      groups: [{ id: group, is_default: true, is_group_admin: true }],
    });
  });
});
