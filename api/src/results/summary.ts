/** Reads the summary of a task: counts, items that need attention, pairs and provenance, as far as ingested. */

import type { TaskPair } from '@seqpanel/crds/kinds.ts';
import type { Knex } from 'knex';
import type { AnswerOf } from '../feature.ts';
import type { FullTask } from '../tasks/task-rows.ts';
import { type FailedSample, failedSample, pairFinding, type QcFinding, qcFinding } from './attention.ts';
import { readSources, readTools } from './provenance.ts';

type Summary = AnswerOf<'getTaskSummary'>;

export async function readSummary(db: Knex, storageDir: string, task: FullTask): Promise<Summary> {
  const [counted, failed, verdicts, checks, depths, paired] = await Promise.all([
    db.raw<{ rows: [Summary['variants']] }>(
      `SELECT coalesce(sum(variants_all), 0) AS "all", coalesce(sum(variants_called), 0) AS called,
         coalesce(sum(variants_kept), 0) AS kept
       FROM task_sample WHERE task_id = ?`,
      [task.id],
    ),
    db('task_sample')
      .where({ task_id: task.id })
      .whereNotNull('failure')
      .orderBy('idx')
      .select('name', 'failure') as Promise<FailedSample[]>,
    db('sample_verdict as v')
      .join('task_sample as s', (on) => on.on('s.task_id', 'v.task_id').andOn('s.idx', 'v.sample_idx'))
      .where({ 'v.task_id': task.id })
      .whereIn('v.verdict', ['warn', 'fail'])
      .orderByRaw("v.verdict = 'fail' DESC, v.sample_idx, v.ord")
      .select('s.name', 'v.metric', 'v.value', 'v.operator', 'v.threshold', 'v.verdict') as Promise<QcFinding[]>,
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
    attention: [...failed.map(failedSample), ...checks.flatMap(pairFinding), ...verdicts.flatMap(qcFinding)],
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
