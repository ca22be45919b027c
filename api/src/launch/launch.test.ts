import { randomUUID } from 'node:crypto';
import type { FrozenManifest } from '@seqpanel/crds/step-contract.ts';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { countTasks, launchTask } from '../../test-support/launch-calls.ts';
import { mirrorPipeline } from '../background/mirror/configuration.ts';
import { type FrozenIndex, readFrozen, sha256Of } from '../storage/frozen-files.ts';

let api: TestApi;
let lab: Laboratory;
beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
});
afterAll(() => api.close());

const launch = (body: unknown, headers?: Record<string, string>) => launchTask(api, lab, body, headers);

describe('launch-task', () => {
  test('[API-39] [LAUNCH-42] a launch creates a queued task, lists it at once, and enqueues one intent', async () => {
    const { status, body } = await launch(lab.definition(['S1', 'S2'], { notify: ['a@b.org'] }));
    expect(status).toBe(201);
    expect(body.tasks).toMatchObject([
      { name: 'run-1', status: 'queued', samples: { total: 2 }, panel: { value: 'toy_panel', synthetic: true } },
    ]);
    const id = body.tasks[0].id;
    const intents = await api.deps.db('outbox').where({ object: `AnalysisTask/${id}` });
    expect(intents).toMatchObject([{ state: 'pending', intent: { type: 'launch', task: id } }]);
    const list = await api.call('GET', `/api/v1/pivat/${lab.group}/tasks`, { token: lab.user.token });
    expect(list.body.results.map((row: { id: string }) => row.id)).toContain(id);
    const audit = await api.deps.db('audit_log').where({ resource_type: 'task', resource_id: id });
    expect(audit).toHaveLength(1);
  });

  test('the intent has the ids of its request, and the trace of the client if it is valid', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const good = await launch(lab.definition(['S1'], { name: 'traced' }), { traceparent });
    const bad = await launch(lab.definition(['S1'], { name: 'untraced' }), { traceparent: `${traceparent}\tx` });
    const intentOf = async ({ body }: typeof good) =>
      (await api.deps
        .db('outbox')
        .where({ object: `AnalysisTask/${body.tasks[0].id}` })
        .first())!.intent.correlation;
    expect(await intentOf(good)).toEqual({ requestId: good.headers.get('x-request-id'), traceparent });
    expect(await intentOf(bad)).toEqual({ requestId: bad.headers.get('x-request-id') });
    expect(await api.deps.db('task').where({ id: good.body.tasks[0].id }).first()).toMatchObject({
      request_id: good.headers.get('x-request-id'),
      traceparent,
    });
  });

  test('[K8S-26] the frozen manifest, spec and files match by their SHA-256', async () => {
    const { body } = await launch(lab.definition(['S1'], { name: 'frozen' }));
    const { spec, frozen } = (await api.deps.db('task').where({ id: body.tasks[0].id }).first())!;
    const content = async (name: string): Promise<Buffer> =>
      (await readFrozen(api.deps.db, frozen as FrozenIndex, name))!;
    expect(sha256Of(await content('frozen.json'))).toBe(spec.frozen);
    const manifest = JSON.parse((await content('frozen.json')).toString()) as FrozenManifest;
    expect(manifest.files.map(({ name }) => name).sort()).toEqual([
      'annotation.json',
      'external_normals.tsv',
      'genome.json',
      'panel.json',
      'preset.json',
      'samples.tsv',
    ]);
    for (const { name, sha256, size } of manifest.files) {
      expect([name, sha256Of(await content(name)), (await content(name)).length]).toEqual([name, sha256, size]);
    }
    expect(spec.panelType.sha256).toBe(sha256Of(await content('panel.json')));
    const [head, row] = (await content('samples.tsv')).toString().split('\n');
    expect(head!.split('\t')).toContain('files');
    const files = JSON.parse(row!.split('\t')[head!.split('\t').indexOf('files')]!);
    expect(files).toMatchObject([
      { name: 'S1_R1.fastq', read: 'R1', path: `projects/${lab.group}/${lab.project}/S1_R1.fastq` },
      { read: 'R2' },
    ]);
  });

  test('one idempotency key makes one launch, also for parallel calls', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const body = lab.definition(['S1'], { name: 'once' });
    const answers = await Promise.all([launch(body, key), launch(body, key), launch(body, key)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body: answer }) => answer.launch_id)).size).toBe(1);
    expect(await api.deps.db('task').where({ name: 'once' })).toHaveLength(1);
    const other = await launch({ ...body, name: 'other' }, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
  });

  test('two combinations of panel and preset make two tasks of one launch; skipped samples are not in them', async () => {
    const preset = await lab.addPreset('strict');
    const definition = lab.definition(['S1', 'S2'], { name: 'two' }) as { samples: Record<string, unknown>[] };
    definition.samples[1]!['preset'] = preset;
    definition.samples.push({ name: 'S3', library_id: 'S3', files: [], skipped: true });
    const { status, body } = await launch(definition);
    expect(status).toBe(201);
    expect(
      body.tasks.map(({ name, preset: chosen }: { name: string; preset: { name: string } }) => [name, chosen.name]),
    ).toEqual([
      ['two-1', 'default'],
      ['two-2', 'strict'],
    ]);
    expect(new Set(body.tasks.map(({ launch_id }: { launch_id: string }) => launch_id)).size).toBe(1);
  });

  test('[LAUNCH-46] [LAUNCH-43] a broken rule creates nothing, and the answer lists every one', async () => {
    const before = await countTasks(api);
    const definition = lab.definition(['S1', 'S1'], { name: 'a b' });
    const { status, body } = await launch(definition);
    expect([status, body.code]).toEqual([400, 'run_name_characters']);
    expect(body.details.problems.map(({ code }: { code: string }) => code)).toEqual([
      'run_name_characters',
      'sample_name_exists',
    ]);
    expect(await countTasks(api)).toBe(before);
    const check = await api.call('POST', `/api/v1/pivat/${lab.group}/analysis/check-launch`, {
      token: lab.user.token,
      body: definition,
    });
    expect(check.body.problems).toEqual(body.details.problems);
  });

  test('[LAUNCH-46] files, panels, presets and pairs are checked against the existing ones', async () => {
    const codes = async (more: Record<string, unknown>, samples = ['S1']): Promise<string[]> => {
      const { body } = await launch({ ...lab.definition(samples), ...more });
      return body.details.problems.map(({ code }: { code: string }) => code);
    };
    expect(await codes({}, ['S9'])).toEqual(['launch_file_unknown', 'launch_file_unknown']);
    expect(await codes({ panel: randomUUID() })).toEqual(['panel_unknown']);
    expect(await codes({ preset: randomUUID() })).toEqual(['preset_unknown']);
    expect(await codes({ project: randomUUID() })).toEqual(['project_unknown']);
    expect(await codes({ pairs: [{ name: 'P', tumor: 'S1', normal: 'S2' }] })).toEqual([
      'pair_role',
      'pair_sample_unknown',
    ]);
  });

  test.each(['disabled', 'deleted'] as const)(
    '[PIPE-08] a %s pipeline is not used for new analyses',
    async (status) => {
      const before = await countTasks(api);
      await api.deps.db('pipeline').update({ status });
      const { status: answer, body } = await launch(lab.definition(['S1'], { name: status }));
      await api.deps.db('pipeline').update({ status: 'active' });
      expect([answer, body.details.problems[0].code]).toEqual([400, 'pipeline_none']);
      expect(await countTasks(api)).toBe(before);
    },
  );

  test('[PIPE-08] a pipeline that the operator found invalid is not used for new analyses, and the next valid one is', async () => {
    const { db } = api.deps;
    const resource = (name: string, status: string) =>
      ({
        metadata: { name, uid: name, resourceVersion: '1', generation: 1 },
        spec: { displayName: name, version: name, state: 'Active', stages: [] },
        status: { conditions: [{ type: 'Valid', status }] },
      }) as never;
    const deps = { db, now: () => new Date(), read: async (_: string, name: string) => resource(name, 'True') };
    await mirrorPipeline(deps, resource('panel-1.0.0', 'False'));
    const refused = await launch(lab.definition(['S1'], { name: 'invalid' }));
    expect([refused.status, refused.body.details.problems[0].code]).toEqual([400, 'pipeline_none']);
    await mirrorPipeline(deps, resource('second', 'True'));
    const { body } = await launch(lab.definition(['S1'], { name: 'valid' }));
    expect((await db('task').where({ id: body.tasks[0].id }).first())?.pipeline_name).toBe('second');
    const staff = await api.addUser({ staff: true });
    const list = await api.call('GET', '/api/v1/pivat/admin/pipelines', { token: staff.token });
    expect(list.body.results.map(({ name, valid }: { name: string; valid: boolean }) => [name, valid]).sort()).toEqual([
      ['panel-1.0.0', false],
      ['second', true],
    ]);
    await mirrorPipeline(deps, resource('panel-1.0.0', 'True'));
    await db('pipeline').where({ name: 'second' }).delete();
  });

  test('384 samples of 8 files are one call, one task and one resource under 512 KiB', async () => {
    const names = Array.from({ length: 384 }, (_, i) => `Sample-with-a-longer-name-${i}`);
    const files = names.flatMap((name) =>
      ['L001', 'L002', 'L003', 'L004'].flatMap((lane) =>
        ['R1', 'R2'].map((read) => ({ name: `${name}_S1_${lane}_${read}_001.fastq.gz`, sample: name })),
      ),
    );
    const rows = files.map(({ name }) => ({
      id: randomUUID(),
      project_id: lab.project,
      name,
      type: 'fastq',
      size: 1,
      sha256: sha256Of(name),
      owner_id: lab.user.id,
      created: new Date(),
    }));
    await api.deps.db.batchInsert('project_file', rows, 500);
    const definition = {
      ...lab.definition([], { name: 'large' }),
      samples: names.map((name) => ({
        name,
        library_id: name,
        files: files.filter(({ sample }) => sample === name).map(({ name: file }) => ({ name: file })),
      })),
    };
    const { status, body } = await launch(definition);
    expect([status, body.tasks?.[0].samples.total]).toEqual([201, 384]);
    const { spec } = (await api.deps.db('task').where({ id: body.tasks[0].id }).first('spec'))!;
    expect(spec.samples[383]!.files).toHaveLength(8);
    expect(spec.samples[383]!.files[0]).toEqual({
      name: 'Sample-with-a-longer-name-383_S1_L001_R1_001.fastq.gz',
      read: 'R1',
      lane: 'L001',
    });
    expect(JSON.stringify(spec).length).toBeLessThan(450 * 1024);
  });

  test('a launch in another group answers as for a missing group', async () => {
    const other = await api.addUser({ groups: { [await api.addGroup()]: 'member' } });
    const answer = await launchTask(api, { ...lab, user: other }, lab.definition(['S1']));
    expect(answer.status).toBe(404);
  });

  test('a panel file changed on storage is not launched', async () => {
    const { files } = (await api.deps.db('panel_type').where({ id: lab.panel }).first('files'))!;
    const wrong = JSON.stringify({ ...files, panel: { ...files.panel, sha256: '0'.repeat(64) } });
    await api.deps.db('panel_type').where({ id: lab.panel }).update({ files: wrong });
    const { status, body } = await launch(lab.definition(['S1'], { name: 'changed' }));
    await api.deps
      .db('panel_type')
      .where({ id: lab.panel })
      .update({ files: JSON.stringify(files) });
    expect([status, body.code]).toEqual([409, 'panel_file_unreadable']);
  });
});
