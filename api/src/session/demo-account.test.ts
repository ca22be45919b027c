import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-demo-'));
});
beforeEach(() => database.db('app_user').delete());
afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true });
});

const at = (name: string) => join(folder, name);
const start = (demoAccount: { leftIn?: string; givenIn?: string } = {}) =>
  startApi({ database, start: true, firstAdminFile: at('first-admin.txt'), demoAccount });
const logIn = (api: TestApi, password: string) =>
  api.call('POST', '/auth/login', { body: { username: 'demo-runner', password } });
const passwordIn = (file: string) => /^password: (.+)$/m.exec(readFileSync(file, 'utf8'))![1]!;

test('npm start leaves its password in a private file, a new one with each start', async () => {
  const file = at('demo-account.txt');
  const first = await start({ leftIn: file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const password = passwordIn(file);
  const { status, body } = await logIn(first, password);
  expect(status).toBe(200);
  expect(body.profile).toMatchObject({ is_staff: true, is_superuser: false, must_change_password: false });
  await first.close();
  const second = await start({ leftIn: file });
  expect((await logIn(second, password)).status).toBe(401);
  expect((await logIn(second, passwordIn(file))).status).toBe(200);
  // Sessions survive a restart of the api, so that a running demo continues.
  expect((await second.call('GET', '/api/v1/pivat/profile', { token: body.token })).status).toBe(200);
  await second.close();
});

test('it is listed as the demo account, expires a day after the start, and then can neither log in nor continue', async () => {
  const file = at('demo-account.txt');
  const api = await start({ leftIn: file });
  const staff = await api.addUser({ staff: true });
  const { body } = await api.call('GET', '/api/v1/pivat/admin/users?page_size=100', { token: staff.token });
  const listed = body.results.find(({ username }: { username: string }) => username === 'demo-runner');
  expect(listed).toMatchObject({ is_demo: true, is_staff: true, is_active: true });
  const hours = (Date.parse(listed.expires) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  const password = passwordIn(file);
  api.advance(23.9 * 3600);
  const { token } = (await logIn(api, password)).body;
  expect((await api.call('GET', '/api/v1/pivat/profile', { token })).status).toBe(200);
  api.advance(0.2 * 3600);
  expect((await api.call('GET', '/api/v1/pivat/profile', { token })).status).toBe(401);
  expect(await logIn(api, password)).toMatchObject({ status: 403, body: { code: 'account_disabled' } });
  await api.close();
});

test('a start without its settings disables it and ends its sessions, with an audit entry', async () => {
  const file = at('demo-account.txt');
  const first = await start({ leftIn: file });
  const { token, profile } = (await logIn(first, passwordIn(file))).body;
  await first.close();
  const second = await start();
  expect((await second.call('GET', '/api/v1/pivat/profile', { token })).status).toBe(401);
  expect((await logIn(second, passwordIn(file))).body.code).toBe('account_disabled');
  await second.close();
  const entries = await database.db('audit_log').where({ resource_type: 'user', resource_id: profile.user_id });
  const changes = entries.map(({ action, changes: [change] }) => [action, change?.field, change?.to]);
  expect(changes).toContainEqual(['create', 'is_active', true]);
  expect(changes).toContainEqual(['update', 'is_active', false]);
});

test('the password may be given by a Secret; an invalid or missing one disables only this account', async () => {
  const file = at('test-password');
  writeFileSync(file, 'Aa1-for-helm-test\n');
  const given = await start({ givenIn: file });
  expect((await logIn(given, 'Aa1-for-helm-test')).status).toBe(200);
  await given.close();
  writeFileSync(file, 'password\n');
  const simple = await start({ givenIn: file });
  expect((await logIn(simple, 'Aa1-for-helm-test')).body.code).toBe('account_disabled');
  await simple.close();
  writeFileSync(file, 'Aa1-for-helm-test\n');
  await (await start({ givenIn: file })).close();
  rmSync(file);
  const without = await start({ givenIn: file });
  expect((await logIn(without, 'Aa1-for-helm-test')).body.code).toBe('account_disabled');
  await without.close();
});

test('a user account of its name is not changed', async () => {
  const api = await start();
  const person = await api.addUser({ username: 'Demo-Runner' });
  await api.close();
  const again = await start({ leftIn: at('never.txt') });
  expect((await logIn(again, person.password)).status).toBe(200);
  const row = await database.db('app_user').where({ id: person.id }).first();
  expect(row).toMatchObject({ is_demo: false, is_staff: false, expires: null });
  await again.close();
});
