import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { importPanel } from '@seqpanel/crds/panel-import.ts';
import { installed, installGenome, makeTask, testData } from '../support/pipeline-task.ts';
import { passCalls } from '../support/tiny-run.ts';

const data = testData();
const storage = mkdtempSync(join(tmpdir(), 'seqpanel-na12878-'));
afterAll(() => rm(storage, { recursive: true, force: true }));

/** The reference is chr22:16,570,000-16,610,000 of hg38, as a contig of its own that starts at 1. */
const SHIFT = 16_569_999;
const LENGTH = 40_001;
const TILE = 2_000;

/** Returns the BAM in the coordinates of the excerpt, without reads and mates outside of it. */
function cutBam(from: string, to: string): void {
  const text = execFileSync('samtools', ['view', '--no-PG', from], { maxBuffer: 1 << 28 }).toString();
  const lines = text.split('\n').flatMap((line) => {
    const cells = line.split('\t').slice(0, 11);
    const [pos, mate] = [Number(cells[3]) - SHIFT, Number(cells[7]) - SHIFT];
    if (cells[2] !== 'chr22' || cells[6] !== '=' || Math.min(pos, mate) < 1 || Math.max(pos, mate) > LENGTH - 200)
      return [];
    return [[...cells.slice(0, 3), pos, ...cells.slice(4, 7), mate, ...cells.slice(8)].join('\t')];
  });
  const sam = `@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr22\tLN:${LENGTH}\n${lines.join('\n')}\n`;
  writeFileSync(`${to}.sam`, sam);
  execFileSync('samtools', ['view', '-b', '--no-PG', '-o', to, `${to}.sam`]);
}

/** Returns the truth in the coordinates of the excerpt, split and left-aligned, without spanning deletions. */
function truth(from: string, fasta: string): string[] {
  const vcf = gunzipSync(readFileSync(from))
    .toString()
    .split('\n')
    .filter((line) => !line.startsWith('##contig') && line !== '')
    .map((line) => {
      if (line.startsWith('#CHROM')) return `##contig=<ID=chr22,length=${LENGTH}>\n${line}`;
      if (line.startsWith('#')) return line;
      const [chrom, pos, ...rest] = line.split('\t');
      return [chrom, Number(pos) - SHIFT, ...rest].join('\t');
    });
  const file = join(storage, 'truth.vcf');
  writeFileSync(file, `${vcf.join('\n')}\n`);
  const normal = execFileSync('bcftools', ['norm', '-f', fasta, '-m', '-any', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const alleles = normal
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [chrom, pos, , ref, alt] = line.split('\t');
      return { allele: `${chrom}:${pos} ${ref}>${alt}`, alt };
    });
  return [...new Set(alleles.filter(({ alt }) => alt !== '*').map(({ allele }) => allele))];
}

(data ? describe : describe.skip)('nfcore_chr22_hg38 (skipped where the public test data is absent)', () => {
  test('real germline reads at 33x without primers: at least 96 % of the GIAB variants', async () => {
    const folder = `${data}/nfcore_chr22_hg38`;
    await installGenome(storage, 'chr22cut', `${folder}/genome.fasta`);
    const bed = Array.from({ length: Math.ceil(LENGTH / TILE) }, (_, i) =>
      ['chr22', i * TILE, Math.min(LENGTH, (i + 1) * TILE), `T${i}`].join('\t'),
    ).join('\n');
    const { panel } = importPanel(
      { bed },
      { value: 'chr22cut', displayName: 'chr22', genome: installed(storage, 'chr22cut'), chemistry: 'capture' },
    );
    const bam = join(storage, 'NA12878.bam');
    cutBam(`${folder}/NA12878.chr22.bam`, bam);
    const task = await makeTask({
      storage,
      id: 'na12878',
      panel,
      source: 'bam',
      samples: [{ name: 'NA12878', bam }],
      parameters: { min_depth: 10, min_alt_fragments: 3, report_floor: 0.2 },
    });
    for (const step of ['reads', 'cohort', 'call']) expect((await task.run(step)).exit).toBe(0);
    const vcf = gunzipSync(readFileSync(`${task.folder}/samples/NA12878/call/calls.vcf.gz`)).toString();
    const found = new Set(passCalls(vcf).map(({ allele }) => allele));
    const planted = truth(`${folder}/NA12878_GIAB.chr22.vcf.gz`, `${storage}/references/chr22cut/genome.fa`);
    const recall = planted.filter((allele) => found.has(allele)).length / planted.length;
    expect(planted.length).toBeGreaterThan(80);
    expect(recall).toBeGreaterThanOrEqual(0.96);
  });
});
