import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { notifyTask, notifyWorkers } from './events.ts';

let api: TestApi;
let group: string;
let user: TestUser;
beforeAll(async () => {
  api = await startApi({
    start: true,
    firstAdminFile: join(mkdtempSync(join(tmpdir(), 'seqpanel-live-')), 'first-admin.txt'),
  });
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
});
afterAll(() => api.close());

const TASK = '6f1c2c4e-0000-4000-8000-000000000001';
const open = async (): Promise<WebSocket> => {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  return socket;
};
const next = async (socket: WebSocket): Promise<unknown> => JSON.parse(String((await once(socket, 'message'))[0]));
const admitted = async (who: TestUser): Promise<WebSocket> => {
  const socket = await open();
  const ready = next(socket);
  socket.send(JSON.stringify({ token: who.token }));
  expect(await ready).toEqual({ type: 'ready' });
  return socket;
};

describe('/ws', () => {
  test('[API-03] a client without a valid token is disconnected', async () => {
    const socket = await open();
    const closed = once(socket, 'close');
    socket.send(JSON.stringify({ token: 'not one' }));
    expect((await closed)[0]).toBe(4401);
  });

  test('a client with a one-time password is disconnected until the password is changed', async () => {
    const beginner = await api.addUser({ groups: { [group]: 'member' } });
    const setMustChange = (must_change_password: boolean) =>
      api.deps.db('app_user').where({ id: beginner.id }).update({ must_change_password });
    await setMustChange(true);
    const socket = await open();
    const closed = once(socket, 'close');
    socket.send(JSON.stringify({ token: beginner.token }));
    expect((await closed)[0]).toBe(4401);
    await setMustChange(false);
    (await admitted(beginner)).close();
  });

  test('staff get admin events of the tasks of all groups and of the workers', async () => {
    const staff = await admitted(await api.addUser({ staff: true }));
    const heard = next(staff);
    await notifyTask(api.deps.db, { task: TASK, group });
    expect(await heard).toEqual({ type: 'admin', task: TASK, group });
    const workers = next(staff);
    await notifyWorkers(api.deps.db, 'cpu');
    expect(await workers).toEqual({ type: 'admin', workers: 'cpu' });
    staff.close();
  });

  test('[API-03] [TASK-05] a client with a token gets events of its own groups only', async () => {
    const [mine, stranger] = await Promise.all([
      admitted(user),
      admitted(await api.addUser({ groups: { [await api.addGroup()]: 'member' } })),
    ]);
    let overheard = false;
    stranger.on('message', () => {
      overheard = true;
    });
    const heard = next(mine);
    await notifyTask(api.deps.db, { task: TASK, group });
    expect(await heard).toEqual({ type: 'task', task: TASK, group });
    // Events keep their order, so an event sent to the other client would have arrived before this one.
    const second = next(mine);
    await notifyTask(api.deps.db, { task: TASK, group });
    await second;
    expect(overheard).toBe(false);
    mine.close();
    stranger.close();
  });

  test('after a lost connection to Postgres, clients get resync and further events', async () => {
    const socket = await admitted(user);
    const gap = next(socket);
    await api.deps.db.raw(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'seqpanel-listen' AND datname = current_database()",
    );
    expect(await gap).toEqual({ type: 'resync' });
    const heard = next(socket);
    await notifyTask(api.deps.db, { task: TASK, group });
    expect(await heard).toEqual({ type: 'task', task: TASK, group });
    socket.close();
  });

  test('the token of an ended session is rejected', async () => {
    const socket = await admitted(user);
    await api.deps.db('session').where({ user_id: user.id }).update({ ended: new Date() });
    const closed = once(socket, 'close');
    socket.send(JSON.stringify({ token: user.token }));
    expect((await closed)[0]).toBe(4401);
  });
});
