/** QC, depths, amplicons and the summary of a task, as far as they are in. */

import type { TaskPair } from '@seqpanel/crds/kinds.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { median } from '@seqpanel/crds/statistics.ts';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import { isSampleStep, stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import { NO_DEPTH } from '../background/ingest/reads-part.ts';
import type { SampleVerdictTable } from '../db/tables/results.ts';
import type { AnswerOf } from '../feature.ts';
import { readFrozen } from '../storage/frozen-files.ts';
import { readText } from '../storage/inside-storage.ts';
import { folderNameOf, folderOf } from '../tasks/task-files.ts';
import type { FullTask } from '../tasks/task-rows.ts';

type TaskQc = AnswerOf<'getTaskQc'>;
type Amplicon = AnswerOf<'listTaskAmplicons'>['results'][number];
type Summary = AnswerOf<'getTaskSummary'>;

async function frozenJson<T>(db: Knex, task: FullTask, name: string): Promise<Partial<T>> {
  const content = await readFrozen(db, task.frozen, name);
  return JSON.parse(content?.toString() ?? '{}') as Partial<T>;
}

export async function readQc(db: Knex, task: FullTask): Promise<TaskQc> {
  const [samples, metrics, verdicts, preset] = await Promise.all([
    db('task_sample').where({ task_id: task.id }).orderBy('idx').select('idx', 'name', 'qc_type', 'role', 'qc_status'),
    db('sample_metric').where({ task_id: task.id }).orderBy('metric'),
    db('sample_verdict').where({ task_id: task.id }).orderBy(['sample_idx', 'ord']),
    frozenJson<Preset>(db, task, 'preset.json'),
  ]);
  const rows = new Map<number, TaskQc['samples'][number]>(
    samples.map(({ idx, name, qc_type, role, qc_status }) => [
      idx,
      { sample: name, qc_type, role, status: qc_status, metrics: {}, verdicts: [] },
    ]),
  );
  for (const { sample_idx, metric, value, numerator, denominator } of metrics) {
    const row = rows.get(sample_idx);
    if (row) row.metrics[metric] = { value, numerator, denominator };
  }
  for (const { sample_idx, metric, value, numerator, denominator, operator, threshold, source, verdict } of verdicts) {
    rows
      .get(sample_idx)
      ?.verdicts.push({ metric, value, numerator, denominator, operator, limit: threshold, source, verdict });
  }
  return {
    ready: task.qc_ready,
    skipped: preset.qc?.skip ?? false,
    metrics: [...new Set(metrics.map(({ metric }) => metric))],
    samples: [...rows.values()],
    controls: task.controls,
  };
}

export interface DepthMatrix {
  samples: number;
  amplicons: number;
  matrix: Buffer;
}

/** Sample-major; a sample whose depths are not in has NO_DEPTH in every place. */
export async function readDepths(db: Knex, taskId: string): Promise<DepthMatrix> {
  const [samples, rows] = await Promise.all([
    db('task_sample').where({ task_id: taskId }).count({ n: '*' }).first(),
    db('sample_depth').where({ task_id: taskId }).select('sample_idx', 'amplicons'),
  ]);
  const count = Number(samples?.n ?? 0);
  const bytes = Math.max(0, ...rows.map(({ amplicons }) => amplicons.length));
  const matrix = Buffer.alloc(count * bytes, 0xff);
  for (const { sample_idx, amplicons } of rows) amplicons.copy(matrix, sample_idx * bytes);
  return { samples: count, amplicons: bytes / 4, matrix };
}

export async function readAmplicons(db: Knex, task: FullTask, sample: string | undefined): Promise<Amplicon[]> {
  const panel = await frozenJson<PanelFile>(db, task, 'panel.json');
  const { samples, amplicons, matrix } = await readDepths(db, task.id);
  const depths = new Uint32Array(matrix.buffer.slice(matrix.byteOffset, matrix.byteOffset + matrix.byteLength));
  const chosen = sample
    ? (await db('task_sample').where({ task_id: task.id, name: sample }).first('idx'))?.idx
    : undefined;
  return (panel.amplicons ?? []).map((amplicon, a) => {
    const measured: number[] = [];
    for (let s = 0; a < amplicons && s < samples; s++) {
      const depth = depths[s * amplicons + a]!;
      if (depth !== NO_DEPTH) measured.push(depth);
    }
    const middle = median(measured);
    const own = chosen === undefined || a >= amplicons ? undefined : depths[chosen * amplicons + a];
    const depth = own === undefined || own === NO_DEPTH ? null : own;
    return {
      name: amplicon.name,
      chrom: amplicon.chrom,
      start: amplicon.start,
      end: amplicon.end,
      insert_start: amplicon.insert.start,
      insert_end: amplicon.insert.end,
      pool: amplicon.pool ?? null,
      gene: amplicon.gene ?? null,
      exon: amplicon.exon ?? null,
      samples: measured.length,
      median: middle,
      min: measured.length ? Math.min(...measured) : null,
      max: measured.length ? Math.max(...measured) : null,
      depth,
      ratio: depth !== null && middle ? depth / middle : null,
    };
  });
}

/** A verdict with its sample's name. */
type NamedVerdict = { name: string } & Pick<
  SampleVerdictTable,
  'metric' | 'value' | 'operator' | 'threshold' | 'verdict'
>;

export async function readSummary(db: Knex, storageDir: string, task: FullTask): Promise<Summary> {
  const [counted, failed, verdicts, checks, depths, paired] = await Promise.all([
    db.raw<{ rows: [Summary['variants']] }>(
      `SELECT coalesce(sum(variants_all), 0) AS "all", coalesce(sum(variants_called), 0) AS called,
         coalesce(sum(variants_kept), 0) AS kept
       FROM task_sample WHERE task_id = ?`,
      [task.id],
    ),
    db('task_sample').where({ task_id: task.id }).whereNotNull('failure').orderBy('idx').select('name', 'failure'),
    db('sample_verdict as v')
      .join('task_sample as s', (on) => on.on('s.task_id', 'v.task_id').andOn('s.idx', 'v.sample_idx'))
      .where({ 'v.task_id': task.id })
      .whereIn('v.verdict', ['warn', 'fail'])
      .orderByRaw("v.verdict = 'fail' DESC, v.sample_idx, v.ord")
      .select('s.name', 'v.metric', 'v.value', 'v.operator', 'v.threshold', 'v.verdict') as Promise<NamedVerdict[]>,
    db('pair_check').where({ task_id: task.id }),
    db('sample_metric as m')
      .join('task_sample as s', (on) => on.on('s.task_id', 'm.task_id').andOn('s.idx', 'm.sample_idx'))
      .where({ 'm.task_id': task.id, 'm.metric': 'mean_depth' })
      .select('s.name', 'm.value') as Promise<{ name: string; value: number | null }[]>,
    db.raw<{ rows: [{ pairs: TaskPair[] }] }>(
      "SELECT coalesce(spec -> 'pairs', '[]') AS pairs FROM task WHERE id = ?",
      [task.id],
    ),
  ]);
  const { pairs } = paired.rows[0];
  const depthOf = new Map(depths.map(({ name, value }) => [name, value]));
  const samples = await db('task_sample')
    .where({ task_id: task.id })
    .orderBy('idx')
    .select('name', 'tumor_content', 'variants_kept');
  const sampleOf = new Map(samples.map((sample) => [sample.name, sample]));
  return {
    status: task.status,
    samples: { total: task.samples_total, done: task.samples_done, failed: task.samples_failed },
    qc: { ready: task.qc_ready, pass: task.qc_pass, warn: task.qc_warn, fail: task.qc_fail },
    variants: counted.rows[0],
    attention: [
      ...failed.map(({ name, failure }) => ({
        level: 'danger' as const,
        code: 'sample_failed',
        message: failure?.message || failure?.code || 'failed',
        sample: name,
        tab: null,
      })),
      ...checks
        .filter(({ verdict }) => verdict === 'mismatch' || verdict === 'pair_incomplete')
        .map(({ pair, verdict }) => ({
          level: 'danger' as const,
          code: `pair_${verdict}`.replace('pair_pair', 'pair'),
          message: pair,
          sample: null,
          tab: 'summary',
        })),
      ...verdicts.map(({ name, metric, value, operator, threshold, verdict }) => ({
        level: verdict === 'fail' ? ('danger' as const) : ('warning' as const),
        code: 'qc',
        message: `${metric} ${value ?? '–'}; ${operator ?? ''} ${threshold ?? ''}`.trim(),
        sample: name,
        tab: 'qc',
      })),
    ],
    pairs: pairs.map(({ name, tumor, normal }) => {
      const check = checks.find(({ pair }) => pair === name);
      return {
        name,
        tumor,
        normal,
        tumor_content: sampleOf.get(tumor)?.tumor_content ?? null,
        tumor_depth: depthOf.get(tumor) ?? null,
        normal_depth: depthOf.get(normal) ?? null,
        kept: sampleOf.get(tumor)?.variants_kept ?? 0,
        sites: check?.sites ?? null,
        concordance: check?.concordance ?? null,
        verdict: check?.verdict ?? null,
      };
    }),
    controls: task.controls,
    report: task.qc_summary,
    provenance: { tools: await readTools(storageDir, task, samples[0]?.name), sources: await readSources(db, task) },
  };
}

/** Tools and versions of the steps that have ended; of the sample steps, the first sample's stand for all. */
async function readTools(
  storageDir: string,
  task: FullTask,
  sample: string | undefined,
): Promise<Summary['provenance']['tools']> {
  const folder = folderOf(storageDir, folderNameOf(task));
  const seen = new Map<string, Summary['provenance']['tools'][number]>();
  for (const { step: status } of stepsOf(task.mirror)) {
    const step = status.name;
    const place = stepDir(step, isSampleStep(status) ? sample : undefined);
    const result = await readText(folder.at(place, 'result.json')).then(
      (text) => JSON.parse(text) as StepResult,
      () => undefined,
    );
    for (const { name, version, command } of result?.tools ?? []) {
      seen.set(`${name}/${version}`, { name, version, command: command ?? null, step });
    }
  }
  return [...seen.values()];
}

async function readSources(db: Knex, task: FullTask): Promise<Summary['provenance']['sources']> {
  const annotation = await frozenJson<{ sources: { name: string; version: string; sha256?: string }[] }>(
    db,
    task,
    'annotation.json',
  );
  return (annotation.sources ?? []).map(({ name, version, sha256 }) => ({ name, version, sha256: sha256 ?? null }));
}
