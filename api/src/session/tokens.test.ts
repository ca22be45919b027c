import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { startApi } from '../../test-support/api.ts';
import { freshApi } from '../../test-support/fresh-api.ts';
import type { Feature } from '../feature.ts';
import { createRunningCalls } from './running-calls.ts';
import { markActive } from './session-store.ts';
import { hashOfRefreshToken } from './tokens.ts';

const fresh = freshApi();
const setTimeoutOf = (minutes: number) =>
  fresh.database.db('app_user').where({ id: fresh.user.id }).update({ auto_logout_timeout: minutes });

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
  expect(
    (
      await fresh.profile(
        (
          await fresh.api.tokens.signFile('x', { userId: fresh.user.id, sessionId: randomUUID() })
        ).token,
      )
    ).status,
  ).toBe(401);
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

test('two tabs may refresh at the same time, and get the same next token', async () => {
  const [a, b] = await Promise.all([fresh.refresh(fresh.user.refresh), fresh.refresh(fresh.user.refresh)]);
  expect([a.status, b.status]).toEqual([200, 200]);
  expect(a.body.refresh).toBe(b.body.refresh);
  fresh.api.advance(9);
  expect((await fresh.refresh(fresh.user.refresh)).body.refresh).toBe(a.body.refresh);
  const next = await fresh.refresh(a.body.refresh);
  expect(next.status).toBe(200);
  // A session has one line of tokens, so a thief cannot continue with a second one.
  const { session_id } = (await fresh.database
    .db('refresh_token')
    .where({ hash: hashOfRefreshToken(next.body.refresh) })
    .first())!;
  const rows = await fresh.database.db('refresh_token').where({ session_id });
  expect(rows.map(({ used }) => used !== null).sort()).toEqual([false, true, true]);
});

test('a token used again later ends its whole session and is recorded', async () => {
  const { body } = await fresh.refresh(fresh.user.refresh);
  fresh.api.advance(60);
  expect((await fresh.refresh(fresh.user.refresh)).status).toBe(401);
  expect((await fresh.refresh(body.refresh)).status).toBe(401);
  expect((await fresh.profile(body.access)).status).toBe(401);
  const events = await fresh.database.db('audit_log').where({ user_id: fresh.user.id, action: 'refresh_reuse' });
  expect(events).toMatchObject([{ outcome: 'failure', address: '127.0.0.1', username: fresh.user.username }]);
});

test('a session ends a week after its login, however often it was refreshed', async () => {
  await setTimeoutOf(60 * 24);
  let token = fresh.user.refresh;
  for (let hour = 0; hour < 7 * 24 - 20; hour += 20) {
    fresh.api.advance(20 * 3600);
    token = (await fresh.refresh(token)).body.refresh;
  }
  fresh.api.advance(21 * 3600);
  expect((await fresh.refresh(token)).status).toBe(401);
});

describe('a session without a call', () => {
  const MINUTE = 60;
  test('ends 15 minutes after the time of the automatic logout', async () => {
    fresh.api.advance(44 * MINUTE);
    const kept = await fresh.refresh(fresh.user.refresh);
    expect(kept.status).toBe(200);
    fresh.api.advance(46 * MINUTE);
    expect((await fresh.refresh(kept.body.refresh)).status).toBe(401);
  });

  test("ends after the user's own time if set", async () => {
    await setTimeoutOf(120);
    fresh.api.advance(134 * MINUTE);
    const kept = await fresh.refresh(fresh.user.refresh);
    expect(kept.status).toBe(200);
    fresh.api.advance(136 * MINUTE);
    expect((await fresh.refresh(kept.body.refresh)).status).toBe(401);
  });

  test('ends after the time of a changed setting', async () => {
    const staff = await fresh.api.addUser({ staff: true });
    const body = [{ name: 'auto_logout_timeout', value: 5 }];
    await fresh.api.call('PUT', '/api/v1/pivat/constance', { token: staff.token, body });
    fresh.api.advance(21 * MINUTE);
    expect((await fresh.refresh(fresh.user.refresh)).status).toBe(401);
    await fresh.database.db('setting').where({ name: 'auto_logout_timeout' }).delete();
  });

  test('does not end during a running call, such as an upload of hours', async () => {
    const { db } = fresh.database;
    const running = createRunningCalls();
    const call = new EventEmitter();
    const other = new EventEmitter();
    const { id } = (await db('session').where({ user_id: fresh.user.id }).first('id'))!;
    running.watch(id, call);
    running.watch(id, other);
    other.emit('close');
    for (let minute = 0; minute < 120; minute += 40) {
      fresh.api.advance(40 * MINUTE);
      await markActive(db, running.sessions(), fresh.api.deps.now());
    }
    fresh.api.advance(30 * MINUTE);
    expect((await fresh.refresh(fresh.user.refresh)).status).toBe(200);
    call.emit('close');
    expect(running.sessions()).toEqual([]);
  });

  test('an admitted call is tracked until it ends', async () => {
    const calls: string[] = [];
    const watched: Feature = { name: 'watch', admitted: ({ username }) => calls.push(username) };
    const api = await startApi({ database: fresh.database, features: () => [watched] });
    await api.call('GET', '/api/v1/pivat/profile', { token: fresh.user.token });
    await api.call('GET', '/api/v1/pivat/admin/users', { token: fresh.user.token });
    await api.close();
    expect(calls).toEqual([fresh.user.username]);
  });
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
