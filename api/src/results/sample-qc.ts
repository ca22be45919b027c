/** Reads metrics and verdicts of each ingested sample. */

import type { Preset } from '@seqpanel/crds/preset.ts';
import type { Knex } from 'knex';
import type { AnswerOf } from '../feature.ts';
import { readFrozenJson } from '../storage/frozen-files.ts';
import type { FullTask } from '../tasks/task-rows.ts';

type TaskQc = AnswerOf<'getTaskQc'>;

export async function readQc(db: Knex, task: FullTask): Promise<TaskQc> {
  const [samples, metrics, verdicts, preset] = await Promise.all([
    db('task_sample').where({ task_id: task.id }).orderBy('idx').select('idx', 'name', 'qc_type', 'role', 'qc_status'),
    db('sample_metric').where({ task_id: task.id }).orderBy('metric'),
    db('sample_verdict').where({ task_id: task.id }).orderBy(['sample_idx', 'ord']),
    readFrozenJson<Preset>(db, task.frozen, 'preset.json'),
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
