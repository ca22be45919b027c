import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseControlFile } from '@seqpanel/crds/control-file.ts';
import type { DemoManifest } from '@seqpanel/crds/demo-manifest.ts';
import { validatePanel } from '@seqpanel/crds/panel-rules.ts';
import { sha256 } from '../runner/files.ts';
import { makeDemo } from './make-demo.ts';

let dir: string;
let manifest: DemoManifest;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'seqpanel-demo-'));
  manifest = await makeDemo(join(dir, 'one'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));
const text = (path: string): Promise<string> => readFile(join(dir, 'one', path), 'utf8');

async function hashes(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((f) => f.isFile());
  const paths = files.map((f) => join(f.parentPath, f.name)).sort();
  return Promise.all(paths.map(async (path) => `${path.slice(folder.length)} ${sha256(await readFile(path))}`));
}

test('the demo has the same bytes each time', async () => {
  await makeDemo(join(dir, 'two'));
  expect(await hashes(join(dir, 'two'))).toEqual(await hashes(join(dir, 'one')));
});

test('panel and control file are valid and marked as synthetic', async () => {
  const panel = JSON.parse(await text(manifest.panel.file));
  const { control, problems } = parseControlFile(await text(manifest.panel.control!));
  expect(problems).toEqual([]);
  expect(validatePanel(panel, { value: manifest.panel.value, controlName: manifest.panel.control!, control })).toEqual(
    [],
  );
  expect(panel.synthetic).toBe(true);
  expect(panel.amplicons.length).toBeGreaterThanOrEqual(40);
});

test('every planted variant matches the genome, away from primers and inside an insert', async () => {
  const panel = JSON.parse(await text(manifest.panel.file));
  const fasta = new Map(
    (await text('genome.fa'))
      .split('>')
      .slice(1)
      .map((part) => {
        const [head, ...lines] = part.split('\n');
        return [head!.split(' ')[0]!, lines.join('')];
      }),
  );
  const truth: Record<string, { chrom: string; pos: number; ref: string }[]> = JSON.parse(await text('truth.json'));
  const planted = Object.values(truth).flat();
  expect(planted.length).toBeGreaterThan(40);
  for (const { chrom, pos, ref } of planted) {
    expect(fasta.get(chrom)!.slice(pos - 1, pos - 1 + ref.length)).toBe(ref);
    const over = panel.amplicons.filter(
      (a: { chrom: string; start: number; end: number }) => a.chrom === chrom && a.start <= pos && a.end >= pos,
    );
    expect(over.length).toBeGreaterThan(0);
    for (const a of over) expect(a.insert.start < pos && pos + ref.length - 1 < a.insert.end).toBe(true);
  }
});

test('reads come in pairs with equal names, and the NTC is a valid file without reads', async () => {
  for (const sample of manifest.samples) {
    const [r1, r2] = await Promise.all(
      sample.files.map(async (f) =>
        gunzipSync(await readFile(join(dir, 'one', f.path)))
          .toString()
          .split('\n')
          .filter((_, i) => i % 4 === 0),
      ),
    );
    expect(r1!.map((name) => name.split(' ')[0])).toEqual(r2!.map((name) => name.split(' ')[0]));
    expect(r1!.length > 1).toBe(sample.qcType !== 'NTC');
  }
});
