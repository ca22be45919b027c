/**
 * Writes small outputs of a task like its steps: folders with result.json, tables with the columns of crds/src/outputs.
 */

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { alleleKey } from '@seqpanel/crds/allele.ts';
import { ALLELES, CONSEQUENCES } from '@seqpanel/crds/outputs/annotation.ts';
import { PAIRS } from '@seqpanel/crds/outputs/cohort.ts';
import { TRACE, traceFile } from '@seqpanel/crds/outputs/post-filter.ts';
import { SAMPLE_QC } from '@seqpanel/crds/outputs/qc.ts';
import { AMPLICONS } from '@seqpanel/crds/outputs/reads.ts';
import { columnNames, NO_VALUE, type OutputTable } from '@seqpanel/crds/outputs/table.ts';
import { stepDir, taskDir } from '@seqpanel/crds/storage.ts';

export interface TestCall {
  chrom?: string;
  pos: number;
  ref: string;
  alt: string;
  /** In fragments. */
  altForward?: number;
  altReverse?: number;
  depth?: number;
  filter?: string;
  genotype?: string;
  gene?: string;
  impact?: string;
  info?: string;
}

export const GENOME = 'toy';
export const keyOf = ({ chrom = '17', pos, ref, alt }: TestCall): string => alleleKey(GENOME, { chrom, pos, ref, alt });

export interface TaskOutputs {
  reads(sample: string, depths?: readonly number[]): void;
  call(sample: string, calls: readonly TestCall[]): void;
  annotation(calls: readonly TestCall[]): void;
  /** Keeps every call that passes. */
  postFilter(samples: Readonly<Record<string, readonly TestCall[]>>): void;
  qc(verdicts: readonly { sample: string; metric: string; value: number; verdict: string }[]): void;
  report(): void;
  log(name: string, text: string): void;
}

/** `revision` is part of the fingerprints: another one means another run of the same step. */
export function taskOutputs(storageDir: string, taskId: string, revision = '1'): TaskOutputs {
  const folder = join(storageDir, taskDir(taskId));
  const publish = (step: string, sample: string | undefined, files: Record<string, string | Buffer>): void => {
    const place = join(folder, stepDir(step, sample));
    const work = join(folder, '.work', `${step}-${sample ?? ''}`);
    for (const [name, content] of Object.entries(files)) write(join(work, name), content);
    const result = {
      schema_version: 1,
      step,
      ...(sample && { sample }),
      fingerprint: `${step}-${sample ?? ''}-${revision}`,
      reused: false,
      outputs: [],
      metrics: {},
      tools: [{ name: 'toy', version: '1.0', command: 'toy' }],
      warnings: [],
      started: '2026-01-01T00:00:00Z',
      finished: '2026-01-01T00:00:01Z',
    };
    write(join(work, 'result.json'), JSON.stringify(result));
    mkdirSync(dirname(place), { recursive: true });
    renameSync(work, place);
  };
  return {
    reads: (sample, depths = [100, 200]) =>
      publish('reads', sample, {
        'metrics.json': JSON.stringify({
          mean_depth: { value: depths.reduce((a, b) => a + b, 0) / depths.length },
          on_target_fraction: { value: 0.9, numerator: 900, denominator: 1000 },
        }),
        [AMPLICONS.file]: table(
          AMPLICONS,
          depths.map((mean, i) => ({ amplicon: `A${i + 1}`, mean })),
        ),
        'reads.bam': Buffer.from('BAM of a test, long enough for ranges'),
        'reads.bam.bai': Buffer.from('BAI'),
      }),
    call: (sample, calls) => publish('call', sample, { 'calls.vcf.gz': gzipSync(vcf(sample, calls)) }),
    annotation: (calls) =>
      publish('annotation', undefined, {
        [ALLELES.file]: gzipSync(
          table(
            ALLELES,
            calls.map((call) => ({
              allele_key: keyOf(call),
              chrom: call.chrom ?? '17',
              pos: call.pos,
              ref: call.ref,
              alt: call.alt,
              rsid: `rs${call.pos}`,
              population_af: 0.25,
              clinvar_terms: 'Benign',
            })),
          ),
        ),
        [CONSEQUENCES.file]: gzipSync(
          table(
            CONSEQUENCES,
            calls.flatMap((call) => [
              {
                allele_key: keyOf(call),
                transcript: 'NM_1.1',
                rank: 'preferred',
                gene: call.gene ?? 'TP53',
                consequence: 'missense_variant',
                impact: call.impact ?? 'MODERATE',
                hgvs_c: `c.${call.pos}${call.ref}>${call.alt}`,
                hgvs_p: 'p.Arg1His',
                sift: 0.01,
              },
              {
                allele_key: keyOf(call),
                transcript: 'NM_2.1',
                rank: 'other',
                gene: call.gene ?? 'TP53',
                consequence: 'intron_variant',
                impact: 'MODIFIER',
              },
            ]),
          ),
        ),
        'manifest.json': JSON.stringify({
          schema_version: 1,
          sources: [{ name: 'genes', kind: 'genes', version: '1' }],
        }),
      }),
    postFilter: (samples) => {
      const group = {
        name: 'Reported',
        filters: [
          { name: 'PASS', conditions: [{ field: 'filter', operator: '=', value: 'PASS', missingPasses: false }] },
        ],
      };
      publish('post-filter', undefined, {
        'filters.json': JSON.stringify({ schema_version: 1, groups: [group] }),
        ...Object.fromEntries(
          Object.entries(samples).map(([sample, calls]) => [
            traceFile(sample),
            gzipSync(
              table(
                TRACE,
                calls.map((call) => {
                  const pass = (call.filter ?? 'PASS') === 'PASS';
                  return {
                    allele_key: keyOf(call),
                    group: pass ? 'Reported' : undefined,
                    pass: pass ? 1 : 0,
                    bits: pass ? '1' : '0',
                    missing: '0',
                  };
                }),
              ),
            ),
          ]),
        ),
      });
    },
    qc: (verdicts) => {
      publish('qc', undefined, {
        [SAMPLE_QC.file]: table(
          SAMPLE_QC,
          verdicts.map((verdict) => ({ operator: '>=', limit: 100, source: 'default', ...verdict })),
        ),
        'controls.json': JSON.stringify({ schema_version: 1, ntc: [] }),
        'summary.json': JSON.stringify({ schema_version: 1 }),
      });
      publish('cohort', undefined, { [PAIRS.file]: table(PAIRS, []) });
    },
    report: () => publish('report', undefined, { 'manifest.tsv': 'path\n' }),
    log: (name, text) => write(join(folder, 'logs', name), text),
  };
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function table(table: OutputTable, rows: readonly Record<string, unknown>[]): string {
  const columns = columnNames(table);
  const lines = rows.map((row) => columns.map((name) => String(row[name] ?? NO_VALUE)).join('\t'));
  return `${[columns.join('\t'), ...lines].join('\n')}\n`;
}

function vcf(sample: string, calls: readonly TestCall[]): string {
  const lines = calls.map((call) => {
    const {
      chrom = '17',
      pos,
      ref,
      alt,
      altForward = 40,
      altReverse = 60,
      depth = 400,
      filter = 'PASS',
      genotype = '0/1',
    } = call;
    const total = altForward + altReverse;
    const reference = depth - total;
    const half = Math.floor(reference / 2);
    const info = [`KEY=${keyOf(call)}`, 'PDIST=3', ...(call.info ? [call.info] : [])].join(';');
    const format = {
      GT: genotype,
      DP: depth,
      AD: `${reference},${total}`,
      ADF: `${half},${altForward}`,
      ADR: `${reference - half},${altReverse}`,
      VAF: total / depth,
      CI: '0.2,0.3',
      QL: 40,
      BQ: '35.5,34.5',
      MQ: '60,59',
      SB: 0.4,
      AMP: `A1|${reference}|${total}|${depth}`,
    };
    return [
      chrom,
      pos,
      '.',
      ref,
      alt,
      '.',
      filter,
      info,
      Object.keys(format).join(':'),
      Object.values(format).join(':'),
    ].join('\t');
  });
  return `##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}\n${lines.map((line) => `${line}\n`).join('')}`;
}
