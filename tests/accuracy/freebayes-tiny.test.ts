import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { importPanel } from '@seqpanel/crds/panel-import.ts';
import { installed, installGenome, makeTask, testData } from '../support/pipeline-task.ts';
import { vcfCalls } from '../support/tiny-run.ts';

const data = testData();
const storage = mkdtempSync(join(tmpdir(), 'seqpanel-tiny-bam-'));
afterAll(() => rm(storage, { recursive: true, force: true }));

/** Single-base changes of a VCF's lines; an MNP stands for each of its bases. */
const atomsOf = (vcf: string): string[] =>
  vcf
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [chrom, pos, , ref, alt] = line.split('\t') as string[];
      if (ref!.length !== alt!.length) return [`${chrom}:${pos} ${ref}>${alt}`];
      return [...ref!].flatMap((base, i) =>
        base === alt![i] ? [] : [`${chrom}:${Number(pos) + i} ${base}>${alt![i]}`],
      );
    });

(data ? describe : describe.skip)('freebayes_tiny (skipped where the public test data is absent)', () => {
  test('a BAM on a panel without primers gives 14 of 14 GIAB variants', async () => {
    const folder = `${data}/freebayes_tiny`;
    await installGenome(storage, 'q', `${folder}/q.fa`);
    const genome = installed(storage, 'q');
    const { panel } = importPanel(
      { bed: `q\t0\t${genome.contigs[0]!.length}\tq1\n` },
      { value: 'q', displayName: 'q', genome, chemistry: 'capture' },
    );
    const task = await makeTask({
      storage,
      id: 'tiny',
      panel,
      source: 'bam',
      samples: [{ name: 'NA12878', bam: `${folder}/NA12878.chr22.tiny.bam` }],
      parameters: { min_depth: 10 },
    });
    for (const step of ['reads', 'cohort', 'call']) expect((await task.run(step)).exit).toBe(0);
    const calls = vcfCalls(gunzipSync(readFileSync(`${task.folder}/samples/NA12878/call/calls.vcf.gz`)).toString());
    const passed = new Set(calls.filter(({ filter }) => filter === 'PASS').flatMap(({ atoms }) => atoms));
    const truth = atomsOf(readFileSync(`${folder}/NA12878.chr22.tiny.giab.vcf`, 'utf8'));
    expect(truth).toHaveLength(14);
    expect(truth.filter((atom) => !passed.has(atom))).toEqual([]);
  });

  test('a BAM of another genome is refused with the contig that tells it', async () => {
    await installGenome(storage, 'q', `${data}/freebayes_tiny/q.fa`);
    const genome = installed(storage, 'q');
    const { panel } = importPanel(
      { bed: 'q\t0\t1000\tq1\n' },
      { value: 'q', displayName: 'q', genome, chemistry: 'capture' },
    );
    const bam = `${data}/tp53_amplicon_b37/TP53.bam`;
    const task = await makeTask({ storage, id: 'other', panel, source: 'bam', samples: [{ name: 'TP53', bam }] });
    const { exit, message } = await task.run('reads');
    expect(exit).toBe(2);
    expect(message.message).toMatch(
      /^TP53.bam: is aligned to another genome: it has no contig q; q has q with 12\d+ bp$/,
    );
  });
});
