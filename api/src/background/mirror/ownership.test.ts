/** Ownership of the configuration: the last writer at the API server, the console or kubectl, wins. */

import { randomUUID } from 'node:crypto';
import { errorFor } from '@seqpanel/crds/kube/errors.ts';
import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import { pino } from 'pino';
import { panelTypeTests } from '../../../test-support/panel-type-calls.ts';
import { aPanel, aValue } from '../../../test-support/panels.ts';
import { dispatchOne } from '../dispatcher/dispatcher.ts';
import { mirrorPanelType, mirrorPipeline } from './configuration.ts';
import { endRow, type FollowDeps } from './follow-resource.ts';
import { panelTypes, pipelines } from './followed-kinds.ts';

const given = panelTypeTests();
const signal = new AbortController().signal;
type Held = Stored<KubeObject> & { spec: Record<string, unknown>; status?: object };

/** An API server that numbers versions and generations. */
function aCluster() {
  const objects = new Map<string, Held>();
  let version = 0;
  const put = (object: Held, spec: unknown): Held => {
    const before = objects.get(object.metadata.name);
    const isSame = before && JSON.stringify(before.spec) === JSON.stringify(spec);
    const generation = (before?.metadata.generation ?? 0) + (isSame ? 0 : 1);
    const metadata = {
      ...object.metadata,
      uid: before?.metadata.uid ?? randomUUID(),
      generation,
      resourceVersion: `${++version}`,
    };
    const stored = { ...object, metadata, spec: spec as Held['spec'] };
    objects.set(object.metadata.name, stored);
    return stored;
  };
  const find = (name: string): Held => {
    const found = objects.get(name);
    if (!found) throw errorFor(404, { reason: 'NotFound' });
    return found;
  };
  const kube = {
    create: async (_: unknown, object: Held) => {
      if (objects.has(object.metadata.name)) throw errorFor(409, { reason: 'AlreadyExists' });
      return put(object, object.spec);
    },
    get: async (_: unknown, name: string) => find(name),
    update: async (_: unknown, object: Held) => {
      if (find(object.metadata.name).metadata.resourceVersion !== object.metadata.resourceVersion)
        throw errorFor(409, { reason: 'Conflict' });
      return put(object, object.spec);
    },
  };
  return {
    kube: kube as never,
    objects,
    create: (object: Held) => kube.create({}, object),
    /** As kubectl does. */
    edit: (name: string, change: object) => put(find(name), { ...find(name).spec, ...change }),
  };
}

const setup = () => {
  const { db } = given.api.deps;
  const cluster = aCluster();
  const deps: FollowDeps = { db, now: () => new Date(), read: async (_, name) => cluster.objects.get(name) };
  const storageDir = given.api.storageDir;
  const follow = (object: Held) => mirrorPanelType(deps, storageDir, object as never);
  const dispatcher = {
    db,
    kube: cluster.kube,
    storageDir,
    log: pino({ level: 'silent' }),
    now: () => new Date(),
    onFailed: async () => {},
    onChangedElsewhere: async (_: string, object: Stored<KubeObject>) => void (await follow(object as Held)),
  };
  const dispatch = async () => {
    while (await dispatchOne(dispatcher, signal));
  };
  const rowOf = (value: string) => db('panel_type').where({ value }).first();
  return { db, cluster, deps, follow, dispatch, rowOf, storageDir };
};

test('a group removed with kubectl loses the panel at once, with an audit entry, also for a panel made in the console', async () => {
  const { cluster, follow, dispatch, rowOf } = setup();
  const [mine, other] = [await given.api.addGroup(), await given.api.addGroup()];
  const member = await given.api.addUser({ groups: { [mine]: 'member' } });
  const value = aValue();
  const { body } = await given.panels.create(value, { group_list: JSON.stringify([mine]) });
  await dispatch();
  const seen = async () =>
    (await given.api.call('GET', '/api/v1/pivat/0/panel-types', { token: member.token })).body.results.map(
      (panel: { value: string }) => panel.value,
    );
  expect(await seen()).toContain(value);
  expect(await follow(cluster.edit(value, { allowedGroups: [other] }))).toBe('done');
  expect(await seen()).not.toContain(value);
  expect((await given.panels.audits(body.id)).at(-1)).toMatchObject({
    username: 'kubectl',
    action: 'update',
    changes: [{ field: 'group_list', from: [mine], to: [other] }],
  });
  await follow(cluster.edit(value, { active: false }));
  expect(await rowOf(value)).toMatchObject({ active: false });
});

test("the api's own write is recognized, and an event of an older state changes nothing", async () => {
  const { cluster, follow, dispatch, rowOf, db } = setup();
  const value = aValue();
  const { body } = await given.panels.create(value);
  await dispatch();
  const first = cluster.objects.get(value)!;
  await given.panels.change(body.id, { panel_group: 'new' });
  expect(await follow(first)).toBe('later');
  await dispatch();
  await follow(first);
  await follow(cluster.objects.get(value)!);
  expect(await rowOf(value)).toMatchObject({ panel_group: 'new', resource_generation: 2 });
  expect(await db('audit_log').where({ resource_id: body.id, username: 'kubectl' })).toEqual([]);
});

test('a save in the console does not overwrite a newer change with kubectl', async () => {
  const { cluster, dispatch, rowOf, db } = setup();
  const value = aValue();
  const { body } = await given.panels.create(value);
  await dispatch();
  // Neither has been mirrored when the console saves.
  cluster.edit(value, { group: 'by kubectl' });
  expect((await given.panels.change(body.id, { panel_group: 'by console' })).status).toBe(200);
  await dispatch();
  expect(cluster.objects.get(value)!.spec['group']).toBe('by kubectl');
  expect(await rowOf(value)).toMatchObject({ panel_group: 'by kubectl', resource_generation: 2 });
  expect(await db('outbox').where({ object: `PanelType/${value}`, state: 'failed' })).toHaveLength(1);
  expect((await given.panels.audits(body.id)).at(-1)).toMatchObject({ username: 'kubectl' });
});

test('a form opened before the change is rejected with both versions, and accepted with the new version', async () => {
  const { cluster, follow, dispatch } = setup();
  const value = aValue();
  const { body } = await given.panels.create(value);
  await dispatch();
  await follow(cluster.edit(value, { group: 'theirs' }));
  const refused = await given.panels.change(body.id, { panel_group: 'mine', version: body.version });
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'changed_elsewhere',
      details: { version: expect.any(String), mine: { panel_group: 'mine' }, theirs: { panel_group: 'theirs' } },
    },
  });
  const { version } = refused.body.details;
  expect((await given.panels.change(body.id, { panel_group: 'mine', version })).status).toBe(200);
  await dispatch();
  expect(cluster.objects.get(value)!.spec['group']).toBe('mine');
});

test('a deleted PanelType has an inactive row, is active when applied again, and ignores late events of the old one', async () => {
  const { cluster, deps, follow, dispatch, rowOf, storageDir } = setup();
  const value = aValue();
  const { body } = await given.panels.create(value);
  await dispatch();
  const old = cluster.objects.get(value)!;
  // A late event: the resource exists.
  expect(await endRow(deps, panelTypes(deps, storageDir), value)).toBe('done');
  expect(await rowOf(value)).toMatchObject({ active: true });
  cluster.objects.delete(value);
  await endRow(deps, panelTypes(deps, storageDir), value);
  expect(await rowOf(value)).toMatchObject({ active: false, status: {}, resource_deleted: expect.any(Date) });
  expect((await given.panels.audits(body.id)).at(-1)).toMatchObject({ username: 'kubectl', action: 'delete' });
  const { uid: _, resourceVersion: __, ...metadata } = old.metadata;
  const again = await cluster.create({ ...old, metadata } as Held);
  await follow(again);
  await follow(old);
  expect(await rowOf(value)).toMatchObject({ active: true, resource_deleted: null, resource_uid: again.metadata.uid });
});

test('changed files in a manifest of kubectl are read into the row, which cannot be launched before its check', async () => {
  const { cluster, follow, dispatch, rowOf, db } = setup();
  const [value, second] = [aValue(), aValue()];
  await given.panels.create(value);
  const other = await given.panels.create(
    second,
    {},
    {
      panel_file: { name: `${second}.json`, content: JSON.stringify(aPanel(second, { version: '2' })) },
    },
  );
  expect(other.status).toBe(201);
  await dispatch();
  await db('panel_type')
    .where({ value })
    .update({ status: JSON.stringify({ conditions: [{ type: 'Valid', status: 'True' }] }) });
  const { panel } = cluster.objects.get(second)!.spec['files'] as { panel: object };
  await follow(cluster.edit(value, { files: { panel } }));
  expect(await rowOf(value)).toMatchObject({ panel: { version: '2' }, status: {} });
});

test('Pipelines applied, disabled and deleted with kubectl have rows and audit entries', async () => {
  const { db, cluster, deps } = setup();
  const name = `pipe-${randomUUID().slice(0, 8)}`;
  const spec = { displayName: 'P', version: '9', state: 'Active', stages: [{ steps: [], name: 'secondary' }] };
  const object = await cluster.create({ metadata: { name }, spec } as unknown as Held);
  await mirrorPipeline(deps, object as never);
  await mirrorPipeline(deps, cluster.edit(name, { state: 'Disabled' }) as never);
  expect(await db('pipeline').where({ name }).first()).toMatchObject({ status: 'disabled' });
  cluster.objects.delete(name);
  await endRow(deps, pipelines(deps), name);
  const row = (await db('pipeline').where({ name }).first())!;
  expect(row).toMatchObject({ status: 'deleted', is_default: false, deleted: expect.any(Date) });
  const audits = await db('audit_log').where({ resource_id: row.id }).orderBy('created');
  // The stages are not reported as changed, although Postgres orders their keys differently.
  expect(audits[1]!.changes).toEqual([{ field: 'status', from: 'active', to: 'disabled' }]);
  expect(audits.map(({ username, action }) => `${username} ${action}`)).toEqual([
    'kubectl create',
    'kubectl update',
    'kubectl delete',
  ]);
});
