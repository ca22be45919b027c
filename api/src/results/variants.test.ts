import { CALLS, completedTask } from '../../test-support/completed-task.ts';
import { keyOf } from '../../test-support/task-outputs.ts';

const given = completedTask();

const variants = async (query: Record<string, string> = {}) =>
  (await given.task.get(`/variants?${new URLSearchParams(query)}`)).body;
const where = (...conditions: unknown[]): string => JSON.stringify(conditions);
const positions = (rows: { pos: number }[]): number[] => rows.map(({ pos }) => pos);

test('[RESULT-01] [RESULT-02] [RESULT-11] a row has the columns of the table, 1-based, with its annotation', async () => {
  const { results, count, total } = await variants({ sample: 'S1' });
  expect([count, total]).toEqual([2, 3]);
  expect(results[0]).toMatchObject({
    id: `0-${keyOf(CALLS[1]!)}`,
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

test('kept, called and all show different rows, and candidates below half the floor stay in the file', async () => {
  expect(positions((await variants({ show: 'all', sample: 'S1', sort: 'pos' })).results)).toEqual([130, 140, 150]);
  expect((await variants({ show: 'called' })).count).toBe(3);
  const samples = (await given.task.get('/samples')).body.results;
  expect(samples.map(({ variants_kept }: { variants_kept: number }) => variants_kept)).toEqual([2, 1]);
  expect((await given.task.get('/summary')).body.variants).toEqual({ all: 5, called: 3, kept: 3 });
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
  expect(await rows({ field: 'impact', operator: 'in', value: ['HIGH', 'LOW'], missingPasses: false })).toEqual([140]);
  expect(await rows({ field: 'gene', operator: 'contains', value: 'RAF', missingPasses: false })).toEqual([140]);
  expect(await rows({ field: 'filter', operator: 'in', value: ['strand_bias'], missingPasses: false })).toEqual([150]);
  expect(await rows({ field: 'polyphen', operator: '>', value: 0.5, missingPasses: true })).toEqual([130, 140, 150]);
  expect(await rows({ field: 'polyphen', operator: '>', value: 0.5, missingPasses: false })).toEqual([]);
  expect(
    await rows(
      { field: 'pass', operator: '=', value: true, missingPasses: false },
      { field: 'depth', operator: '>=', value: 400, missingPasses: false },
    ),
  ).toEqual([130, 140]);
});

test('a condition on an unknown column, or of a wrong type, is rejected with the name', async () => {
  const refused = async (condition: unknown) =>
    (await given.task.get(`/variants?${new URLSearchParams({ where: where(condition) })}`)).body;
  expect(
    await refused({ field: 'c.vaf; DROP TABLE task', operator: '=', value: 1, missingPasses: false }),
  ).toMatchObject({ code: 'filter_field_unknown' });
  expect(await refused({ field: 'vaf', operator: '=', value: 'much', missingPasses: false })).toMatchObject({
    code: 'filter_value_invalid',
    details: { field: 'vaf' },
  });
  expect((await given.task.get('/variants?sort=ref')).body.code).toBe('filter_field_unknown');
});

test('a search finds genes, names and positions, also inside a deletion', async () => {
  const found = async (q: string) => positions((await variants({ show: 'all', sample: 'S1', sort: 'pos', q })).results);
  expect(await found('braf')).toEqual([140]);
  expect(await found('rs130')).toEqual([130]);
  expect(await found('chr17:142')).toEqual([140]);
  expect(await found('17:120-145')).toEqual([130, 140]);
  expect(await found('100%')).toEqual([]);
});

test('facets count values and give ranges and the funnel', async () => {
  const { body } = await given.task.get('/variants/facets?show=all');
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
  const { body } = await given.task.get(`/variants/0-${keyOf(CALLS[0]!)}`);
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
  expect((await given.task.get('/variants/0-00')).status).toBe(404);
  // Exceeds Postgres' integer.
  expect((await given.task.get('/variants/7927230104-00')).status).toBe(400);
});
