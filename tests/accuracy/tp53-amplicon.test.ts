import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { importPanel } from '@seqpanel/crds/panel-import.ts';
import { installed, installGenome, makeTask, testData } from '../support/pipeline-task.ts';
import { passCalls } from '../support/tiny-run.ts';

const data = testData();
const storage = mkdtempSync(join(tmpdir(), 'seqpanel-tp53-'));
afterAll(() => rm(storage, { recursive: true, force: true }));

(data ? describe : describe.skip)('tp53_amplicon_b37 (skipped where the public test data is absent)', () => {
  test('rs1625895 is found at 41 % of 375 fragments, and nothing else over 5 %', async () => {
    const folder = `${data}/tp53_amplicon_b37`;
    await installGenome(storage, 'b37', `${folder}/hs_b37_chr17_upto_TP53.fasta.gz`, true);
    // The reference ends inside the second amplicon: only the first can be counted.
    const bedpe = readFileSync(`${folder}/TP53.bedpe`, 'utf8')
      .split('\n')
      .filter((line) => line.includes('7578063'))
      .join('\n');
    const { panel } = importPanel({ bedpe }, { value: 'tp53', displayName: 'TP53', genome: installed(storage, 'b37') });
    const samples = [{ name: 'TP53', r1: `${folder}/TP53_1.fastq.gz`, r2: `${folder}/TP53_2.fastq.gz` }];
    const task = await makeTask({ storage, id: 'tp53', panel, samples });
    for (const step of ['reads', 'cohort', 'call']) expect((await task.run(step)).exit).toBe(0);
    const calls = passCalls(gunzipSync(readFileSync(`${task.folder}/samples/TP53/call/calls.vcf.gz`)).toString());
    const found = calls.filter(({ vaf }) => vaf >= 0.05);
    expect(found.map(({ allele }) => allele)).toEqual(['17:7578115 T>C']);
    expect(found[0]!.vaf).toBeGreaterThan(0.39);
    expect(found[0]!.vaf).toBeLessThan(0.43);
    expect(found[0]!.depth).toBeGreaterThanOrEqual(356);
    expect(found[0]!.depth).toBeLessThanOrEqual(394);
  });
});
