import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { PASSWORD, startApi } from '../../test-support/api.ts';
import { freshApi } from '../../test-support/fresh-api.ts';
import { UNKNOWN_NAME } from './auth-events.ts';

const fresh = freshApi();
const eventsOf = async (where: object) =>
  (
    await fresh.database
      .db('audit_log')
      .where({ resource_type: 'session', ...where })
      .orderBy('created')
  ).map(({ action, outcome, username, address }) => ({ action, outcome, username, address }));

test('login, failed login, lock and logout are recorded with user, address and outcome', async () => {
  const { id, username } = fresh.user;
  const address = '198.51.100.7';
  for (let i = 0; i < 5; i++) await fresh.login(username, 'wrong', address);
  const { body } = await fresh.login(username, PASSWORD, '203.0.113.9');
  const { token, refresh_token } = body;
  await fresh.api.call('POST', '/auth/logout', { token, body: { refresh_token } });
  const events = await eventsOf({ user_id: id });
  const count = (action: string, outcome: string, from: string) =>
    events.filter((event) => event.action === action && event.outcome === outcome && event.address === from).length;
  expect(events).toHaveLength(9);
  expect(count('login', 'success', '127.0.0.1')).toBe(1); // of addUser
  expect(count('login', 'failure', address)).toBe(5);
  expect(count('lock', 'success', address)).toBe(1);
  expect(count('login', 'success', '203.0.113.9')).toBe(1);
  expect(count('logout', 'success', '127.0.0.1')).toBe(1);
  expect(new Set(events.map((event) => event.username))).toEqual(new Set([username]));
});

test('failed logins of unknown names are recorded without the name, at a limited rate, with the number of omitted ones', async () => {
  const typed = `typed-${randomUUID()}`;
  for (let i = 0; i < 30; i++) await fresh.login(`${typed}-${i}`, 'wrong');
  const recorded = () =>
    fresh.database.db('audit_log').where({ resource: UNKNOWN_NAME }).orderBy('created').select('username', 'changes');
  const before = await recorded();
  expect(before).toHaveLength(20);
  expect(JSON.stringify(before)).not.toContain(typed);
  fresh.api.advance(61);
  await fresh.login(typed, 'wrong');
  const [last] = (await recorded()).slice(20);
  expect(last!.changes).toEqual([{ field: 'failures_not_recorded', from: null, to: 10 }]);
});

test('the log line of a request has username and address, also for logins, and a rejection has its code', async () => {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const api = await startApi({ database: fresh.database, log: pino({ level: 'info' }, sink) });
  const body = { username: fresh.user.username, password: PASSWORD };
  const headers = { 'x-forwarded-for': '198.51.100.7' };
  const { token } = (await api.call('POST', '/auth/login', { body, headers })).body;
  await api.call('GET', '/api/v1/pivat/profile', { token, headers });
  await api.call('POST', '/auth/login', { body: { ...body, password: 'wrong-one' }, headers });
  await api.call('GET', '/api/v1/pivat/admin/users', { token, headers });
  await api.close();
  const requests = lines.filter((line) => line['req']);
  expect(requests.map(({ operation, user, req }) => [operation, user, (req as { address: string }).address])).toEqual([
    ['login', fresh.user.username, '198.51.100.7'],
    ['getProfile', fresh.user.username, '198.51.100.7'],
    ['login', fresh.user.username, '198.51.100.7'],
    ['listUsers', fresh.user.username, '198.51.100.7'],
  ]);
  const refused = lines.filter(({ msg }) => msg === 'request refused');
  expect(refused.map(({ code, level }) => [code, level])).toEqual([
    ['login_failed', 30],
    ['permission_denied', 30],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/wrong-one|Right-Horse7/);
});
