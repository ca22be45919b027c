import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { keyOf, type TestCall, taskOutputs } from '../../test-support/task-outputs.ts';
import { ingestTask } from '../ingest/ingest-task.ts';

let api: TestApi;
let lab: Laboratory;
let id: string;

const calls: TestCall[] = [
  { pos: 130, ref: 'A', alt: 'G', genotype: '1/1', altForward: 200, altReverse: 200, info: 'NTC=2' },
  { pos: 140, ref: 'CTT', alt: 'C', impact: 'HIGH', gene: 'BRAF' },
  { pos: 150, ref: 'G', alt: 'GA', filter: 'low_vaf;strand_bias', altForward: 6, altReverse: 6 },
  { pos: 160, ref: 'T', alt: 'A', filter: 'below_floor', altForward: 1, altReverse: 0 },
];

beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
  const { body } = await api.call('POST', `/api/v1/pivat/${lab.group}/analysis/launch-task`, {
    token: lab.user.token,
    body: lab.definition(['S1', 'S2']),
  });
  id = body.tasks[0].id;
  const outputs = taskOutputs(api.storageDir, id);
  outputs.reads('S1', [100, 300]);
  outputs.reads('S2', [50, 80]);
  outputs.call('S1', calls);
  outputs.call('S2', calls.slice(0, 1));
  outputs.annotation(calls);
  outputs.postFilter({ S1: calls, S2: calls.slice(0, 1) });
  outputs.qc([
    { sample: 'S1', metric: 'mean_depth', value: 200, verdict: 'pass' },
    { sample: 'S2', metric: 'mean_depth', value: 65, verdict: 'fail' },
  ]);
  outputs.report();
  outputs.log('reads-S1.log', Array.from({ length: 1000 }, (_, i) => `line ${i + 1}\n`).join(''));
  outputs.log('post-filter.log', 'one line');
  await api.deps.db('task').where({ id }).update({ status: 'running', phase: 'Completed', revision: 5 });
  await ingestTask({ db: api.deps.db, storageDir: api.storageDir, now: api.deps.now }, id);
});
afterAll(() => api.close());

const get = (path: string) =>
  api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${id}${path}`, { token: lab.user.token });
const variants = async (query: Record<string, string> = {}) =>
  (await get(`/variants?${new URLSearchParams(query)}`)).body;
const where = (...conditions: unknown[]): string => JSON.stringify(conditions);
const positions = (rows: { pos: number }[]): number[] => rows.map(({ pos }) => pos);

describe('variants', () => {
  test('[RESULT-01] [RESULT-02] [RESULT-11] a row has the columns of the table, 1-based, with its annotation', async () => {
    const { results, count, total } = await variants({ sample: 'S1' });
    expect([count, total]).toEqual([2, 3]);
    expect(results[0]).toMatchObject({
      id: `0-${keyOf(calls[1]!)}`,
      sample: 'S1',
      chrom: '17',
      pos: 140,
      ref: 'CTT',
      alt: 'C',
      type: 'DEL',
      length: 2,
      amplicon: 'A1',
      vaf: 0.25,
      vaf_low: 0.2,
      vaf_high: 0.3,
      depth: 400,
      quality: 40,
      strand_ratio: 0.4,
      zygosity: 'het',
      consequence: 'missense_variant',
      impact: 'HIGH',
      gene: 'BRAF',
      transcript: 'NM_1.1',
      transcripts: 2,
      hgvs_p: 'p.Arg1His',
      sift: 0.01,
      population_af: 0.25,
      clinical_significance: 'Benign',
      rsid: 'rs140',
      filter: [],
      pass: true,
      group: 'Reported',
      seen: 1,
      seen_of: 2,
    });
    expect(results[1]).toMatchObject({ pos: 130, zygosity: 'hom', seen: 2 });
  });

  test('kept, called and all are told apart, and candidates under half the floor stay in the file', async () => {
    expect(positions((await variants({ show: 'all', sample: 'S1', sort: 'pos' })).results)).toEqual([130, 140, 150]);
    expect((await variants({ show: 'called' })).count).toBe(3);
    const samples = (await get('/samples')).body.results;
    expect(samples.map(({ variants_kept }: { variants_kept: number }) => variants_kept)).toEqual([2, 1]);
    expect((await get('/summary')).body.variants).toEqual({ all: 5, called: 3, kept: 3 });
  });

  test('rows are sorted on the server by several columns, and pages do not overlap', async () => {
    expect(positions((await variants({ show: 'all', sort: '-pos,sample' })).results)).toEqual([150, 140, 130, 130]);
    const pages = await Promise.all(
      ['1', '2', '3'].map((page) => variants({ show: 'all', sort: 'sample', page, page_size: '2' })),
    );
    expect(pages.map(({ results }) => results.length)).toEqual([2, 2, 0]);
    expect(new Set(pages.flatMap(({ results }) => results.map(({ id: row }: { id: string }) => row))).size).toBe(4);
  });

  test('conditions filter by number, choice, text, list and missing values', async () => {
    const rows = async (...conditions: unknown[]) =>
      positions((await variants({ show: 'all', sample: 'S1', sort: 'pos', where: where(...conditions) })).results);
    expect(await rows({ field: 'vaf', operator: '<', value: 0.5, missingPasses: false })).toEqual([140, 150]);
    expect(await rows({ field: 'impact', operator: 'in', value: ['HIGH', 'LOW'], missingPasses: false })).toEqual([
      140,
    ]);
    expect(await rows({ field: 'gene', operator: 'contains', value: 'RAF', missingPasses: false })).toEqual([140]);
    expect(await rows({ field: 'filter', operator: 'in', value: ['strand_bias'], missingPasses: false })).toEqual([
      150,
    ]);
    expect(await rows({ field: 'polyphen', operator: '>', value: 0.5, missingPasses: true })).toEqual([130, 140, 150]);
    expect(await rows({ field: 'polyphen', operator: '>', value: 0.5, missingPasses: false })).toEqual([]);
    expect(
      await rows(
        { field: 'pass', operator: '=', value: true, missingPasses: false },
        { field: 'depth', operator: '>=', value: 400, missingPasses: false },
      ),
    ).toEqual([130, 140]);
  });

  test('a condition on a column that is not there, or of a wrong type, is refused with its name', async () => {
    const refused = async (condition: unknown) =>
      (await get(`/variants?${new URLSearchParams({ where: where(condition) })}`)).body;
    expect(
      await refused({ field: 'c.vaf; DROP TABLE task', operator: '=', value: 1, missingPasses: false }),
    ).toMatchObject({ code: 'filter_field_unknown' });
    expect(await refused({ field: 'vaf', operator: '=', value: 'much', missingPasses: false })).toMatchObject({
      code: 'filter_value_invalid',
      details: { field: 'vaf' },
    });
    expect((await get('/variants?sort=ref')).body.code).toBe('filter_field_unknown');
  });

  test('a search finds genes, names and places, also inside a deletion', async () => {
    const found = async (q: string) =>
      positions((await variants({ show: 'all', sample: 'S1', sort: 'pos', q })).results);
    expect(await found('braf')).toEqual([140]);
    expect(await found('rs130')).toEqual([130]);
    expect(await found('chr17:142')).toEqual([140]);
    expect(await found('17:120-145')).toEqual([130, 140]);
    expect(await found('100%')).toEqual([]);
  });

  test('facets count values and give ranges and the funnel', async () => {
    const { body } = await get('/variants/facets?show=all');
    expect(body.funnel).toEqual({ all: 4, called: 3, kept: 3 });
    expect(body.values.sample).toEqual([
      { value: 'S1', count: 3 },
      { value: 'S2', count: 1 },
    ]);
    expect(body.values.filter).toEqual([
      { value: 'low_vaf', count: 1 },
      { value: 'strand_bias', count: 1 },
    ]);
    expect(body.ranges.vaf).toEqual({ min: 0.03, max: 1 });
  });

  test('a variant shows its evidence, flags, trace, transcripts and the other samples', async () => {
    const { body } = await get(`/variants/0-${keyOf(calls[0]!)}`);
    expect(body.evidence.alt).toMatchObject({
      forward: 200,
      reverse: 200,
      total: 400,
      base_quality: 34.5,
      mapping_quality: 59,
    });
    expect(body.flags).toEqual([
      { code: 'near_primer', value: 3 },
      { code: 'seen_in_ntc', value: 2 },
    ]);
    expect(body.trace).toEqual([
      {
        group: 'Reported',
        filter: 'PASS',
        field: 'filter',
        operator: '=',
        value: 'PASS',
        missing_passes: false,
        actual: 'PASS',
        missing: false,
        pass: true,
      },
    ]);
    expect(body.transcripts.map(({ transcript }: { transcript: string }) => transcript)).toEqual(['NM_1.1', 'NM_2.1']);
    expect(body.others).toEqual([{ sample: 'S2', vaf: 1, depth: 400, pass: true }]);
    expect((await get('/variants/0-00')).status).toBe(404);
  });
});

describe('quality', () => {
  test('[RESULT-03] metrics and verdicts stand by sample, with the worst of them', async () => {
    const { body } = await get('/qc');
    expect(body).toMatchObject({ ready: true, skipped: false, metrics: ['mean_depth', 'on_target_fraction'] });
    expect(body.samples[1]).toMatchObject({
      sample: 'S2',
      status: 'fail',
      metrics: { on_target_fraction: { value: 0.9, numerator: 900, denominator: 1000 } },
      verdicts: [{ metric: 'mean_depth', value: 65, operator: '>=', limit: 100, source: 'default', verdict: 'fail' }],
    });
  });

  test('[RESULT-04] the depths come as one matrix, and by amplicon with the run median', async () => {
    const answer = await fetch(new URL(`/api/v1/pivat/${lab.group}/tasks/${id}/depth-matrix`, api.url), {
      headers: { authorization: `Bearer ${lab.user.token}` },
    });
    expect(answer.headers.get('content-type')).toMatch('application/octet-stream');
    expect([...new Uint32Array(await answer.arrayBuffer())]).toEqual([100, 300, 50, 80]);
    const { body } = await get('/amplicons?sample=S2');
    expect(body.results).toMatchObject([
      { name: 'A1', median: 75, min: 50, max: 100, depth: 50 },
      { name: 'A2', median: 190, depth: 80 },
    ]);
  });

  test('the summary names what needs attention', async () => {
    const { body } = await get('/summary');
    expect(body.qc).toEqual({ ready: true, pass: 1, warn: 0, fail: 1 });
    expect(body.attention).toMatchObject([{ level: 'danger', code: 'qc', sample: 'S2', tab: 'qc' }]);
  });
});

describe('files of a task', () => {
  test('[TASK-09] log files are listed by step and sample, and read whole, by range or from their end', async () => {
    const { body } = await get('/logs');
    expect(body.results).toMatchObject([
      { name: 'post-filter.log', step: 'post-filter', stage: 'post-filter', sample: null },
      { name: 'reads-S1.log', step: 'reads', stage: 'secondary', sample: 'S1' },
    ]);
    const tail = await get('/logs/reads-S1.log?tail=2');
    expect([tail.body, tail.headers.get('x-log-offset')]).toEqual(['line 999\nline 1000\n', '8874']);
    expect((await get('/logs/post-filter.log?tail=5')).body).toBe('one line');
    const part = await api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${id}/logs/reads-S1.log`, {
      token: lab.user.token,
      headers: { range: 'bytes=0-5' },
    });
    expect([part.status, part.body]).toEqual([206, 'line 1']);
    expect((await get('/logs/none.log')).body.code).toBe('log_not_found');
  });

  test('[TASK-11] [API-04] result files are listed and downloaded with type and name, by range too', async () => {
    const { body } = await get('/output');
    const paths = body.results.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'samples/S1/reads/reads.bam',
        'samples/S1/call/calls.vcf.gz',
        'post-filter/samples/S1/trace.tsv.gz',
      ]),
    );
    expect(paths.some((path: string) => path.startsWith('.work'))).toBe(false);
    const file = (path: string, headers = {}) =>
      api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${id}/output/file?path=${encodeURIComponent(path)}`, {
        token: lab.user.token,
        headers,
      });
    const bam = await file('samples/S1/reads/reads.bam', { range: 'bytes=0-2' });
    expect([bam.status, bam.body, bam.headers.get('content-range')]).toEqual([206, 'BAM', 'bytes 0-2/37']);
    expect(bam.headers.get('content-disposition')).toBe('attachment; filename="reads.bam"');
    for (const path of ['../../etc/passwd', 'samples/../../x', '.work/x', 'none'])
      expect((await file(path)).status).toBe(404);
  });

  test('[IGV-06] a sample has its BAM and index for IGV; one without says so', async () => {
    const { body } = await get('/igv?sample=S1');
    expect(body).toMatchObject({
      bam: `/${lab.group}/tasks/${id}/output/file?path=samples%2FS1%2Freads%2Freads.bam`,
      locus: '17:100-300',
      chromosomes: ['17'],
    });
    const empty = await api.call('POST', `/api/v1/pivat/${lab.group}/analysis/launch-task`, {
      token: lab.user.token,
      body: lab.definition(['S1'], { name: 'empty' }),
    });
    const missing = await api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${empty.body.tasks[0].id}/igv?sample=S1`, {
      token: lab.user.token,
    });
    expect([missing.status, missing.body.message]).toEqual([404, 'BAM file not found so IGV cannot be generated.']);
  });
});

describe('a task and its list', () => {
  test('[TASK-06] [TASK-07] [TASK-08] [TASK-04] the detail has every field, the five stages and the urls', async () => {
    const { body } = await get('');
    expect(body).toMatchObject({
      id,
      name: 'run-1',
      user: lab.user.username,
      status: 'completed',
      panel: { name: 'Toy panel', value: 'toy_panel' },
      pipeline: { version: '1.0.0' },
      preset: { name: 'default' },
      source: 'fq',
      project: { name: 'p1' },
      folder_name: id,
      output: `tasks/${id}`,
      input_files: 4,
      autodelete: false,
    });
    expect(body.stages.map(({ name }: { name: string }) => name)).toEqual([
      'secondary',
      'annotation',
      'post-filter',
      'qc',
      'report',
    ]);
    expect(body.urls).toMatchObject({ abort: null, rerun: `/${lab.group}/task-rerun/${id}` });
  });

  test('[TASK-10] taskinfo has the frozen settings, samples and input files', async () => {
    const { body } = await get('/taskinfo');
    expect(body).toMatchObject({
      preset: { name: 'default' },
      panel: { value: 'toy_panel' },
      samples: [{ name: 'S1' }, { name: 'S2' }],
    });
    expect(body.input_files[0]).toMatchObject({ sample: 'S1', name: 'S1_R1.fastq', read: 'R1' });
    expect(body.sha256['frozen.json']).toMatch(/^[0-9a-f]{64}$/);
  });

  test('[TASK-01] [TASK-02] the list is filtered, searched, sorted and paged on the server', async () => {
    const list = async (query: string) =>
      (await api.call('GET', `/api/v1/pivat/${lab.group}/tasks?${query}`, { token: lab.user.token })).body;
    expect((await list('status=completed')).results).toHaveLength(1);
    expect((await list('q=S2')).results.map((row: { id: string }) => row.id)).toEqual([id]);
    expect((await list('q=100%25')).count).toBe(0);
    expect((await list('qc_failed=true')).count).toBe(1);
    expect((await list('owner=me&page_size=1')).results).toHaveLength(1);
    for (const sort of [
      'id',
      'name',
      'date',
      'status',
      'stage',
      'group',
      'user',
      'panel',
      'preset',
      'project',
      'samples',
      'duration',
    ]) {
      expect((await list(`sort=${sort}&dir=asc`)).count).toBe(2);
    }
  });

  test('[TASK-13] abort is refused once a task is over; [TASK-12] before dispatch it cancels the intent', async () => {
    const abort = (task: string) =>
      api.call('POST', `/api/v1/pivat/${lab.group}/tasks/${task}/abort`, { token: lab.user.token });
    const refused = await abort(id);
    expect([refused.status, refused.body.code]).toEqual([409, 'task_not_abortable']);
    const { body } = await api.call('POST', `/api/v1/pivat/${lab.group}/analysis/launch-task`, {
      token: lab.user.token,
      body: lab.definition(['S1'], { name: 'never' }),
    });
    const task = body.tasks[0].id;
    expect((await abort(task)).body).toMatchObject({ status: 'aborted', can_abort: false });
    expect(
      await api.deps
        .db('outbox')
        .where({ object: `AnalysisTask/${task}` })
        .select('state'),
    ).toEqual([{ state: 'cancelled' }]);
  });

  test("[K8S-27] a second ingest changes nothing, and another fingerprint replaces the sample's rows", async () => {
    const deps = { db: api.deps.db, storageDir: api.storageDir, now: api.deps.now };
    const before = await api.deps.db('ingest').where({ task_id: id }).orderBy('part');
    await Promise.all([ingestTask(deps, id), ingestTask(deps, id)]);
    expect(await api.deps.db('ingest').where({ task_id: id }).orderBy('part')).toEqual(before);
    await api.deps.db('ingest').where({ task_id: id, part: 'variants:S1' }).update({ fingerprint: 'older' });
    await ingestTask(deps, id);
    expect((await variants({ show: 'all', sample: 'S1' })).count).toBe(3);
  });
});
