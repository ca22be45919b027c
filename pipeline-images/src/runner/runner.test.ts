import { canonicalJson } from '@seqpanel/crds/canonical-json.ts';
import { DiskFull } from '../tools/tool-errors.ts';
import { BadInput } from './bad-input.ts';
import { readVisible, VISIBLE_WITHIN_MS } from './files.ts';
import { fingerprint } from './fingerprint.ts';
import { parseSamples } from './frozen.ts';
import { judge } from './program.ts';
import { formatTermination } from './termination.ts';

describe('judge', () => {
  test('[K8S-20] bad input exits with 2 and names the file, other errors exit with 1', () => {
    expect(judge(new BadInput('S_R1.fastq.gz', 12, 'is broken'), false)).toEqual({
      exit: 2,
      message: { outcome: 'bad_input', code: 'bad_input', message: 'S_R1.fastq.gz, line 12: is broken' },
    });
    expect(judge(new Error('boom'), false)).toMatchObject({ exit: 1, message: { code: 'step_failed' } });
    expect(judge(new DiskFull(), false)).toMatchObject({ exit: 1, message: { code: 'disk_full' } });
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    expect(judge(full, false)).toMatchObject({ exit: 1, message: { code: 'disk_full' } });
  });

  test('[K8S-20] a terminated step never exits with 2, whatever error it ran into', () => {
    expect(judge(new BadInput('S_R1.fastq.gz', undefined, 'is cut off'), true)).toMatchObject({ exit: 143 });
  });
});

test('a termination message never exceeds 4 KiB', () => {
  const failed = Array.from({ length: 60 }, (_, i) => ({
    sample: `S${i}`,
    code: 'bad_input',
    message: 'x'.repeat(400),
  }));
  const text = formatTermination({ outcome: 'done', failed });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  const parsed = JSON.parse(text) as { failed: { message: string }[] };
  expect(parsed.failed.length).toBeGreaterThan(5);
  expect(parsed.failed[0]!.message).toHaveLength(256);
});

test('[K8S-22] a fingerprint ignores the order of its parts and changes with each part', () => {
  expect(canonicalJson({ b: [1, { d: 1, c: undefined }], a: 'x' })).toBe('{"a":"x","b":[1,{"d":1}]}');
  const key = (tools: Record<string, string>, inputs: Record<string, unknown>, revision = 1) =>
    fingerprint('reads', revision, tools, inputs);
  const base = key({ a: '1', b: '2' }, { x: 1, y: 2 });
  expect(key({ b: '2', a: '1' }, { y: 2, x: 1 })).toBe(base);
  expect(
    new Set([
      base,
      key({ a: '1', b: '3' }, { x: 1, y: 2 }),
      key({ a: '1', b: '2' }, { x: 1, y: 3 }),
      key({ a: '1', b: '2' }, { x: 1, y: 2 }, 2),
    ]).size,
  ).toBe(4);
});

test('waits up to a minute for a file to become visible', async () => {
  const pauses: number[] = [];
  const missing = readVisible('/nowhere/at/all', async (ms) => {
    pauses.push(ms);
  });
  await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
  expect(pauses.reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(VISIBLE_WITHIN_MS);
});

test('samples.tsv is parsed by column name, and a dot means no value', () => {
  const text =
    'index\tsample\tlibrary_id\tqc_type\trole\ttumor_content\tcnv_normal\tfiles\n0\tA\tL1\tNTC\tnormal\t.\t1\t[]\n';
  expect(parseSamples(text)).toEqual([
    expect.objectContaining({
      sample: 'A',
      libraryId: 'L1',
      qcType: 'NTC',
      role: 'normal',
      cnvNormal: true,
      files: [],
    }),
  ]);
  expect(parseSamples(text)[0]!.tumorContent).toBeUndefined();
  expect(() => parseSamples('index\tsample\n0\tA\n')).toThrow('samples.tsv, line 1: has no column library_id');
});
