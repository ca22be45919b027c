import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { importPanel } from '@seqpanel/crds/panel-import.ts';
import { installed, installGenome, makeTask, testCache, testData } from '../support/pipeline-task.ts';
import { passCalls } from '../support/tiny-run.ts';

const data = testData();
const storage = mkdtempSync(join(tmpdir(), 'seqpanel-sim-'));
afterAll(() => rm(storage, { recursive: true, force: true }));

/** Truth as `chrom:pos ref>alt`, indels shifted to the left as calls are. */
function truth(file: string): string[] {
  const fasta = `${testCache()}/references/hg19mini/genome.fa`;
  const text = execFileSync('bcftools', ['norm', '-f', fasta, '-m', '-any', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [chrom, pos, , ref, alt] = line.split('\t');
      return `${chrom}:${pos} ${ref}>${alt}`;
    });
}

(data ? describe : describe.skip)('sim_panel (skipped where the public test data is absent)', () => {
  async function call(sample: string, role: string) {
    const folder = `${data}/sim_panel`;
    await installGenome(storage, 'hg19mini', `${data}/hg19_panel_ref/hg19mini.fa.gz`, true);
    const { panel } = importPanel(
      {
        bed: readFileSync(`${folder}/panel.bed`, 'utf8'),
        insertBed: readFileSync(`${folder}/targets.insert.bed`, 'utf8'),
      },
      { value: 'sim', displayName: 'Sim', genome: installed(storage, 'hg19mini') },
    );
    const samples = [
      { name: sample, role, r1: `${folder}/${sample}_R1.fastq.gz`, r2: `${folder}/${sample}_R2.fastq.gz` },
    ];
    const task = await makeTask({ storage, id: sample, panel, samples });
    for (const step of ['reads', 'cohort', 'call'])
      expect((await task.run(step, { SEQPANEL_CPUS: '2', SEQPANEL_MEMORY_MIB: '2048' })).exit).toBe(0);
    return passCalls(gunzipSync(readFileSync(`${task.folder}/samples/${sample}/call/calls.vcf.gz`)).toString());
  }

  test('germline1: at least 49 of 51 planted variants, and no other inside the inserts', async () => {
    const calls = (await call('germline1', 'germline')).map(({ allele }) => allele);
    const planted = truth(`${data}/sim_panel/germline1.truth.vcf`);
    expect(planted).toHaveLength(51);
    expect(calls.filter((allele) => !planted.includes(allele))).toEqual([]);
    expect(planted.filter((allele) => calls.includes(allele)).length).toBeGreaterThanOrEqual(49);
  }, 120_000);

  test('tumor1 alone: 15 of 15 planted, and none other at 3 % and more that is not germline', async () => {
    const calls = await call('tumor1', 'tumor');
    const germline = truth(`${data}/sim_panel/germline1.truth.vcf`);
    const planted = truth(`${data}/sim_panel/tumor1.somatic_truth.vcf`);
    const found = calls.map(({ allele }) => allele);
    expect(planted).toHaveLength(15);
    expect(planted.filter((allele) => !found.includes(allele))).toEqual([]);
    const extra = calls.filter(
      ({ allele, vaf }) => vaf >= 0.03 && !planted.includes(allele) && !germline.includes(allele),
    );
    expect(extra).toEqual([]);
  }, 180_000);
});
