import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { fastq, fastqGz } from '../../test-support/sequences.ts';
import { uploadFile } from '../../test-support/tus.ts';

const BASE = '/api/v1/pivat';
let api: TestApi;
let group: string;
let user: TestUser;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());
beforeEach(async () => {
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
});

const call = (method: string, path: string, body?: unknown) =>
  api.call(method, `${BASE}/${group}${path}`, { token: user.token, body });
const create = (name: string) => call('POST', '/projects', { name });
const audits = (id: string) => api.deps.db('audit_log').where({ resource_id: id }).orderBy('created');

describe('a project', () => {
  test('[PROJ-01] [PROJ-02] [API-28] [API-29] [API-30] [AUDIT-03] is created and listed', async () => {
    const { status, body } = await create('run_1-a');
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'run_1-a', fastqs: 0, files: 0, size: 0, owner: user.username, group });
    expect((await call('GET', '/projects/?page_size=99999')).body).toEqual({ count: 1, results: [body] });
    expect((await call('GET', `/projects/${body.id}/`)).body).toEqual(body);
    expect(await audits(body.id)).toMatchObject([{ action: 'create', resource_type: 'project', user_id: user.id }]);
  });

  test('[PROJ-01] counts its FASTQ files', async () => {
    const { body } = await create('run1');
    const target = { api, user, group, project: body.id };
    await uploadFile(target, 'S1_R1.fastq.gz', fastqGz(2));
    await uploadFile(target, 'sheet.csv', Buffer.from('a,b\n'));
    expect((await call('GET', `/projects/${body.id}`)).body).toMatchObject({ fastqs: 1, files: 2 });
  });

  test.each(['', 'run 1', 'run.1', '../x', 'ä', 'a'.repeat(151)])(
    '[PROJ-03] of the name "%s" is refused',
    async (name) => {
      expect((await create(name)).status).toBe(400);
    },
  );

  test('[ERR-50] of a name that exists is refused, in any case of letters; in another group it is free', async () => {
    await create('run1');
    expect(await create('RUN1')).toMatchObject({
      status: 409,
      body: { DISPLAY_ERROR_MESSAGE: 'The project name already exists.' },
    });
    const other = await api.addGroup();
    const there = await api.addUser({ groups: { [other]: 'member' } });
    expect((await api.call('POST', `${BASE}/0/projects`, { token: there.token, body: { name: 'run1' } })).status).toBe(
      201,
    );
  });

  test('[PROJ-04] [API-31] [AUDIT-04] is renamed', async () => {
    const { body } = await create('run1');
    expect(await call('PUT', '/projects/', { id: body.id, name: 'run2' })).toMatchObject({
      status: 200,
      body: { name: 'run2' },
    });
    expect((await audits(body.id))[1]).toMatchObject({
      action: 'update',
      changes: [{ field: 'name', from: 'run1', to: 'run2' }],
    });
  });

  test('[ERR-50] [ERR-51] cannot be renamed to its own name or that of another project', async () => {
    const { body } = await create('run1');
    await create('run2');
    expect((await call('PUT', '/projects', { id: body.id, name: 'run2' })).body.code).toBe('project_name_exists');
    expect((await call('PUT', '/projects', { id: body.id, name: 'run1' })).body.code).toBe('project_same_name');
  });

  test('[PROJ-05] [API-32] [AUDIT-05] is deleted with its files, and its name is free again', async () => {
    const { body } = await create('run1');
    await uploadFile({ api, user, group, project: body.id }, 'S1.fq', fastq(1));
    expect((await call('POST', `/projects/${body.id}/delete/`)).status).toBe(204);
    expect((await call('GET', '/projects')).body.results).toEqual([]);
    expect((await call('GET', `/projects/${body.id}`)).status).toBe(404);
    expect(existsSync(join(api.storageDir, 'projects', group, body.id))).toBe(false);
    expect((await audits(body.id)).at(-1)).toMatchObject({ action: 'delete', user_id: user.id });
    expect((await create('run1')).status).toBe(201);
  });

  test('[API-26] [API-08] staff list those of all groups', async () => {
    const { body } = await create(`run-${randomUUID()}`);
    const staff = await api.addUser({ staff: true });
    const { body: all } = await api.call('GET', `${BASE}/admin/projects/?page_size=99999`, { token: staff.token });
    expect(all.results).toContainEqual(body);
    expect(all.results.length).toBe(all.count);
  });
});

describe('a project file', () => {
  let project: string;
  let file: { id: string; name: string };
  const bytes = fastq(20);
  beforeEach(async () => {
    project = (await create('run1')).body.id;
    await uploadFile({ api, user, group, project }, 'S1.fq', bytes);
    [file] = (await call('GET', `/projects/${project}/filelist`)).body.results;
  });

  test.each([
    ['[API-36] by its project', () => `/projects/${project}/filelist/${file.id}/delete/`],
    ['[API-38] by itself', () => `/project-files/${file.id}/delete/`],
  ])('[PROJ-07] is deleted %s', async (_what, path) => {
    expect((await call('POST', path())).status).toBe(204);
    expect((await call('GET', `/projects/${project}/filelist`)).body).toEqual({ count: 0, results: [] });
    expect(existsSync(join(api.storageDir, 'projects', group, project, 'S1.fq'))).toBe(false);
    expect((await audits(file.id)).at(-1)).toMatchObject({ action: 'delete', resource: 'S1.fq' });
    expect((await uploadFile({ api, user, group, project }, 'S1.fq', bytes)).status).toBe(204);
  });

  test('is not deleted by another project of the group', async () => {
    const other = (await create('run2')).body.id;
    expect((await call('POST', `/projects/${other}/filelist/${file.id}/delete`)).status).toBe(404);
  });

  test('and its project cannot be deleted while a task reads it', async () => {
    const task = randomUUID();
    const now = new Date();
    const row = {
      id: task,
      project_id: project,
      name: 't',
      panel_value: 'p',
      panel_name: 'P',
      preset_name: 's',
      pipeline_name: 'x',
      pipeline_version: '1',
      source: 'fq' as const,
      spec: '{}',
      created: now,
      status: 'running' as const,
    };
    await api.deps.db('task').insert(row);
    const sample = {
      task_id: task,
      idx: 0,
      name: 'S1',
      library_id: 'S1',
      qc_type: 'Sample' as const,
      role: 'germline' as const,
      files: JSON.stringify([{ name: 'S1.fq' }]),
    };
    await api.deps.db('task_sample').insert(sample);
    expect((await call('POST', `/project-files/${file.id}/delete`)).body).toMatchObject({ code: 'file_in_use' });
    expect((await call('POST', `/projects/${project}/delete`)).body).toMatchObject({ code: 'project_in_use' });
    await api.deps.db('task').where({ id: task }).update({ status: 'completed' });
    expect((await call('POST', `/projects/${project}/delete`)).status).toBe(204);
  });

  test('[API-37] [API-04] is downloaded with a token that opens this file only, in ranges too', async () => {
    const { body } = await call('GET', `/project-files/${file.id}/generate-token/`);
    const whole = await fetch(new URL(body.url, api.url));
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    expect(whole.headers.get('content-disposition')).toBe('attachment; filename="S1.fq"');
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    const part = await fetch(new URL(body.url, api.url), { headers: { range: 'bytes=10-19' } });
    expect({ status: part.status, range: part.headers.get('content-range') }).toEqual({
      status: 206,
      range: `bytes 10-19/${bytes.length}`,
    });
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    const beyond = await fetch(new URL(body.url, api.url), { headers: { range: `bytes=${bytes.length}-` } });
    expect(beyond.status).toBe(416);

    await uploadFile({ api, user, group, project }, 'S2.fq', bytes);
    const other = (await call('GET', `/projects/${project}/filelist`)).body.results.find(
      ({ name }: { name: string }) => name === 'S2.fq',
    );
    const open = (id: string, token: string) => api.call('GET', `${BASE}/project-files/${id}/download?token=${token}`);
    expect((await open(other.id, body.token)).status).toBe(401);
    expect((await open(file.id, user.token)).status).toBe(401);
    api.advance(13 * 3600);
    expect((await open(file.id, body.token)).status).toBe(401);
    api.advance(-13 * 3600);
  });

  test('its token is recorded, and becomes invalid with the session, the account and the membership of its user', async () => {
    const { db } = api.deps;
    const second = await api.addGroup();
    const tokenOf = async () => {
      const holder = await api.addUser({ groups: { [group]: 'member', [second]: 'member' } });
      const path = `/api/v1/pivat/${group}/project-files/${file.id}/generate-token`;
      const { body } = await api.call('GET', path, { token: holder.token });
      return { holder, open: async () => (await api.call('GET', body.url)).status };
    };
    const [loggedOut, disabled, left, mustChange] = [
      await tokenOf(),
      await tokenOf(),
      await tokenOf(),
      await tokenOf(),
    ];
    for (const { open } of [loggedOut, disabled, left, mustChange]) expect(await open()).toBe(200);
    const { token, refresh } = loggedOut.holder;
    await api.call('POST', '/auth/logout', { token, body: { refresh_token: refresh } });
    await db('app_user').where({ id: disabled.holder.id }).update({ is_active: false });
    await db('membership').where({ user_id: left.holder.id, group_id: group }).delete();
    await db('app_user').where({ id: mustChange.holder.id }).update({ must_change_password: true });
    const statuses = [];
    for (const { open } of [loggedOut, disabled, left, mustChange]) statuses.push(await open());
    expect(statuses).toEqual([401, 401, 404, 401]);
    const events = await db('audit_log').where({ user_id: left.holder.id, action: 'file_token' });
    expect(events).toMatchObject([{ outcome: 'success', changes: [{ field: 'file', to: file.id }] }]);
  });
});
