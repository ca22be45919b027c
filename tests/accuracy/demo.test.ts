import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DemoManifest } from '@seqpanel/crds/demo-manifest.ts';
import type { ControlsFile, QcSummary } from '@seqpanel/crds/outputs/qc.ts';
import type { PileupFile, SampleReport } from '@seqpanel/crds/outputs/report.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { keepResults } from '../../api/src/storage/keep-results.ts';
import { readRows } from '../support/called-task.ts';
import { installGenome, makeTask } from '../support/pipeline-task.ts';

const STEPS = ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc', 'report'];
const ROOT = join(import.meta.dirname, '../..');

interface Planted {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  vaf: number;
  gene: string;
  hgvs: string;
}

describe('the demo through all steps', () => {
  let dir: string;
  let folder: string;
  /** The same run without functional annotation and QC. */
  let plain: string;
  const outcomes: Record<string, string> = {};
  let truth: Record<string, Planted[]>;
  const json = async <T>(path: string): Promise<T> => JSON.parse(await readFile(join(folder, path), 'utf8')) as T;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'seqpanel-demo-run-'));
    const node = {
      env: { ...process.env, NODE_OPTIONS: '', PATH: `${ROOT}/node_modules/.bin:${process.env['PATH']}` },
    };
    execFileSync(`${ROOT}/pipeline-images/bin/seqpanel-demo`, ['--out', `${dir}/demo`], node);
    const read = async (path: string) => readFile(`${dir}/demo/${path}`, 'utf8');
    const manifest = JSON.parse(await read('demo.json')) as DemoManifest;
    truth = JSON.parse(await read('truth.json'));
    await installGenome(
      dir,
      manifest.genome.value,
      `${dir}/demo/${manifest.genome.fasta}`,
      manifest.genome.annotation.map((source) => ({ ...source, file: `${dir}/demo/${source.path}` })),
    );
    const hand = {
      storage: dir,
      panel: JSON.parse(await read(manifest.panel.file)),
      control: await read(manifest.panel.control!),
      pairs: manifest.pairs,
      samples: manifest.samples.map(({ name, files, qcType, role }) => ({
        name,
        r1: `${dir}/demo/${files[0]!.path}`,
        r2: `${dir}/demo/${files[1]!.path}`,
        qcType,
        role,
      })),
    };
    const runAll = async (id: string, preset: Partial<Preset>): Promise<string> => {
      const task = await makeTask({ ...hand, id, preset });
      for (const step of STEPS) {
        const { exit, output, message } = await task.run(step);
        if (exit !== 0) throw new Error(`${step} ended with ${exit}\n${output}`);
        outcomes[`${id} ${step}`] = message.outcome;
      }
      return task.folder;
    };
    folder = await runAll('demo', {});
    // As the api does when the task has ended.
    await keepResults(hand.storage, { id: 'demo', group: 'g' }, new Date());
    plain = await runAll('plain', {
      functionalAnnotation: false,
      qc: { useDefault: false, skip: true, conditions: [] },
    });
  }, 900_000);
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('every planted variant is reported with its name and about its frequency, and no other', async () => {
    const name = (
      v: { chrom: string; pos: number; ref: string; alt: string },
      gene: string | null,
      hgvs: string | null,
    ): string => `${v.chrom}:${v.pos} ${v.ref}>${v.alt} ${gene} ${hgvs}`;
    for (const [sample, planted] of Object.entries(truth)) {
      const { calls } = await json<SampleReport>(`report/${sample}.json`);
      expect(calls.map((c) => name(c, c.gene, c.hgvs_c)).sort()).toEqual(
        planted.map((v) => name(v, v.gene, v.hgvs)).sort(),
      );
      for (const v of planted) {
        const call = calls.find((c) => c.chrom === v.chrom && c.pos === v.pos && c.alt === v.alt)!;
        expect(Math.abs(call.vaf! - v.vaf)).toBeLessThan(0.1);
      }
    }
  });

  test('known variants have the annotation of the installed sources', async () => {
    const alleles = await readRows(`${folder}/annotation/alleles.tsv.gz`);
    const common = alleles.filter((row) => row['population_af'] !== '.');
    expect(common.length).toBeGreaterThanOrEqual(10);
    expect(common[0]!['populations']).toMatch(/^population:\d+:20000:0\.\d+;population_north:/);
    expect(alleles.some((row) => row['clinvar_terms'] === 'Pathogenic' && row['clinvar_stars'] === '3')).toBe(true);
    expect(alleles.some((row) => row['rsid']!.startsWith('rsSYN'))).toBe(true);
  });

  test('an empty NTC passes, the positive control is complete, and every sample has its verdict', async () => {
    const controls = await json<ControlsFile>('qc/controls.json');
    expect(controls.ntc).toMatchObject([{ sample: 'ntc1', verdict: 'pass', fragments: 0 }]);
    expect(controls.posCtrl).toMatchObject([
      { sample: 'posctrl1', verdict: 'pass', missing: 0, material: 'DEMO-CTRL' },
    ]);
    const summary = await json<QcSummary>('qc/summary.json');
    expect(summary.samples.map((s) => `${s.sample} ${s.verdict}`)).toEqual([
      'germline1 pass',
      'tumor1 pass',
      'normal1 pass',
      'posctrl1 pass',
      'ntc1 pass',
    ]);
  });

  test('the gaps are exactly the regions that the panel omits', async () => {
    const gaps = await readRows(`${folder}/qc/gaps.tsv.gz`);
    expect(gaps.map((gap) => [gap['sample'], gap['gene'], gap['exon'], gap['reason']])).toEqual([
      ['.', 'DEMO6', '4', 'not_designed'],
    ]);
  });

  test('a slice has every ALT fragment and fewer reference ones, and a pileup has the true counts', async () => {
    const { calls } = await json<SampleReport>('report/tumor1.json');
    const low = calls.find((c) => c.vaf! < 0.1)!;
    const pileup = await json<PileupFile>(`report/pileups/tumor1/${low.allele_key}.json`);
    expect(Math.abs(pileup.counts.alt - low.alt_fragments!)).toBeLessThanOrEqual(2);
    expect(pileup.rows.every((row) => row.bases.length === pileup.reference.length)).toBe(true);
    const count = (bam: string): number =>
      Number(execFileSync('samtools', ['view', '-c', join(folder, bam), `${low.chrom}:${low.pos}-${low.pos}`]));
    const kept = count('report/slices/tumor1.bam');
    expect(kept).toBeGreaterThan(pileup.counts.alt);
    expect(kept).toBeLessThan(count('samples/tumor1/reads/reads.bam'));
  });

  test('[PRESET-14] with functional annotation off it is not run, and the calls are unchanged', async () => {
    expect(outcomes['plain annotation']).toBe('skipped');
    expect(await readRows(`${plain}/annotation/consequences.tsv.gz`)).toEqual([]);
    const { calls } = JSON.parse(await readFile(`${plain}/report/tumor1.json`, 'utf8')) as SampleReport;
    expect(calls.length).toBe(truth['tumor1']!.length);
    expect(calls.every((call) => call.gene === null)).toBe(true);
  });

  test('[PRESET-13] with QC skipped no condition is applied', async () => {
    expect((await readFile(`${plain}/qc/sample_qc.tsv`, 'utf8')).trimEnd().split('\n').length).toBe(1);
    const summary = JSON.parse(await readFile(`${plain}/qc/summary.json`, 'utf8')) as QcSummary;
    expect([summary.skipped, summary.verdict]).toEqual([true, 'not_assessed']);
  });

  test('a second task of the group reuses reads and calls, byte for byte', async () => {
    for (const [step, file] of [
      ['reads', 'reads.bam'],
      ['call', 'calls.vcf.gz'],
    ] as const) {
      const result = (task: string) =>
        readFile(`${task}/samples/tumor1/${step}/result.json`, 'utf8').then((t) => JSON.parse(t) as StepResult);
      const [first, second] = [await result(folder), await result(plain)];
      expect([first.reused, second.reused]).toEqual([false, true]);
      const hash = ({ outputs }: StepResult) => outputs.find((o) => o.path === file)!.sha256;
      expect(hash(second)).toBe(hash(first));
    }
  });

  test('every page has the synthetic label and the research-use line', async () => {
    for (const sample of Object.keys(truth)) {
      const html = await readFile(join(folder, `report/${sample}.html`), 'utf8');
      expect(html).toContain('Synthetic data');
      expect(html).toContain('For research use only');
    }
  });
});
