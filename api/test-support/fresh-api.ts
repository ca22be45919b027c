/** An api and a user for each test, for tests that move the clock or lock an account. The file shares one database. */

import { type Answer, startApi, type TestApi, type TestUser } from './api.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

export interface FreshApi {
  database: TestDatabase;
  api: TestApi;
  group: string;
  /** Administrator of the group. */
  user: TestUser;
  /** `address`: client address, as reported by a proxy. */
  login(username: unknown, password: unknown, address?: string): Promise<Answer>;
  refresh(token: string): Promise<Answer>;
  profile(token: string): Promise<Answer>;
}

/** Declares the hooks. The returned object is filled before each test. */
export function freshApi(): FreshApi {
  const fresh = {
    login: (username, password, address) =>
      fresh.api.call('POST', '/auth/login', {
        body: { username, password },
        ...(address && { headers: { 'x-forwarded-for': address } }),
      }),
    refresh: (token) => fresh.api.call('POST', '/api/v1/pivat/api-token-refresh', { body: { refresh: token } }),
    profile: (token) => fresh.api.call('GET', '/api/v1/pivat/profile/', { token }),
  } as FreshApi;
  beforeEach(async () => {
    fresh.database ??= await createTestDatabase();
    fresh.api = await startApi({ database: fresh.database });
    fresh.group = await fresh.api.addGroup();
    fresh.user = await fresh.api.addUser({ groups: { [fresh.group]: 'admin' } });
  });
  afterEach(() => fresh.api.close());
  afterAll(() => fresh.database?.close());
  return fresh;
}
