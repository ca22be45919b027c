/**
 * Part 3, once per task after `qc`: verdicts, controls, and the results of cohort and joint (CNV, SMA, thalassemia).
 */

import { HOTSPOTS } from '@seqpanel/crds/outputs/call.ts';
import { CNV_SEGMENT, PAIRS } from '@seqpanel/crds/outputs/cohort.ts';
import { SMA, THALASSEMIA } from '@seqpanel/crds/outputs/joint.ts';
import { SAMPLE_QC, type Verdict } from '@seqpanel/crds/outputs/qc.ts';
import { columnNames, type OutputTable } from '@seqpanel/crds/outputs/table.ts';
import { COHORT_DIR, callDir, JOINT_DIR, QC_DIR } from '@seqpanel/crds/storage.ts';
import { isMissing, readText, type StoragePlace } from '../../storage/inside-storage.ts';
import { type CopyValue, copyRows } from './copy-rows.ts';
import type { PartContext } from './part.ts';
import { optionalRowsOf, type TableRow } from './read-table.ts';

const WORST: readonly Verdict[] = ['not_assessed', 'pass', 'warn', 'fail'];
const rankOf = (verdict: string): number => WORST.indexOf(verdict as Verdict);

export async function writeQc(context: PartContext, samples: ReadonlyMap<string, number>): Promise<void> {
  const { trx, task, folder } = context;
  const status = await writeVerdicts(context, samples);
  await trx('task_sample').where({ task_id: task.id }).update({ qc_status: null });
  const count = { pass: 0, warn: 0, fail: 0 };
  for (const [idx, verdict] of status) {
    await trx('task_sample').where({ task_id: task.id, idx }).update({ qc_status: verdict });
    if (verdict !== 'not_assessed') count[verdict]++;
  }
  await writeSampleResults(context, samples);
  await writePairs(context);
  await trx('task')
    .where({ id: task.id })
    .update({
      qc_ready: true,
      qc_pass: count.pass,
      qc_warn: count.warn,
      qc_fail: count.fail,
      controls: await readJson(folder.at(QC_DIR, 'controls.json')),
      qc_summary: await readJson(folder.at(QC_DIR, 'summary.json')),
    });
}

async function readJson(file: StoragePlace): Promise<string | null> {
  try {
    return JSON.stringify(JSON.parse(await readText(file)));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Returns the worst verdict of each sample. */
async function writeVerdicts(
  { trx, task, folder }: PartContext,
  samples: ReadonlyMap<string, number>,
): Promise<Map<number, Verdict>> {
  const worst = new Map<number, Verdict>();
  const ords = new Map<number, number>();
  async function* rows(): AsyncGenerator<CopyValue[]> {
    for await (const row of optionalRowsOf(folder.at(QC_DIR, SAMPLE_QC.file))) {
      const idx = samples.get(row.text('sample') ?? '');
      const verdict = (row.text('verdict') ?? 'not_assessed') as Verdict;
      if (idx === undefined) continue;
      if (rankOf(verdict) > rankOf(worst.get(idx) ?? '')) worst.set(idx, verdict);
      const ord = ords.get(idx) ?? 0;
      ords.set(idx, ord + 1);
      const [value, numerator, denominator, limit] = ['value', 'numerator', 'denominator', 'limit'].map((name) =>
        row.number(name),
      );
      yield [
        task.id,
        idx,
        ord,
        row.text('metric') ?? '',
        value,
        numerator,
        denominator,
        row.text('operator'),
        limit,
        row.text('source'),
        verdict,
      ];
    }
  }
  await trx('sample_verdict').where({ task_id: task.id }).delete();
  const columns = [
    'task_id',
    'sample_idx',
    'ord',
    'metric',
    'value',
    'numerator',
    'denominator',
    'operator',
    'threshold',
    'source',
    'verdict',
  ];
  await copyRows(trx, 'sample_verdict', columns, rows());
  return worst;
}

async function writeSampleResults(
  { trx, task, folder }: PartContext,
  samples: ReadonlyMap<string, number>,
): Promise<void> {
  await trx('sample_result').where({ task_id: task.id }).delete();
  const ords = new Map<string, number>();
  async function* rows(): AsyncGenerator<CopyValue[]> {
    const line = (kind: string, idx: number, name: string, row: TableRow, table: OutputTable): CopyValue[] => {
      const key = `${kind}/${idx}`;
      const ord = ords.get(key) ?? 0;
      ords.set(key, ord + 1);
      const data = Object.fromEntries(columnNames(table).map((column) => [column, row.text(column)]));
      return [task.id, idx, kind, ord, name, data];
    };
    const shared = [
      ['cnv', CNV_SEGMENT, COHORT_DIR, 'segment'],
      ['sma', SMA, JOINT_DIR, 'sample'],
      ['thalassemia', THALASSEMIA, JOINT_DIR, 'genotype'],
    ] as const;
    for (const [kind, table, place, name] of shared) {
      for await (const row of optionalRowsOf(folder.at(place, table.file))) {
        const idx = samples.get(row.text('sample') ?? '');
        if (idx !== undefined) yield line(kind, idx, row.text(name) ?? '', row, table);
      }
    }
    for (const [sample, idx] of samples) {
      for await (const row of optionalRowsOf(folder.at(callDir(sample), HOTSPOTS.file))) {
        yield line('hotspot', idx, row.text('hotspot') ?? '', row, HOTSPOTS);
      }
    }
  }
  await copyRows(trx, 'sample_result', ['task_id', 'sample_idx', 'kind', 'ord', 'name', 'data'], rows());
}

async function writePairs({ trx, task, folder }: PartContext): Promise<void> {
  await trx('pair_check').where({ task_id: task.id }).delete();
  for await (const row of optionalRowsOf(folder.at(COHORT_DIR, PAIRS.file))) {
    await trx('pair_check').insert({
      task_id: task.id,
      pair: row.text('pair') ?? '',
      sites: row.number('sites'),
      concordance: row.number('concordance'),
      verdict: row.text('verdict'),
    });
  }
}
