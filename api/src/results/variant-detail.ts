/** Details of one call: evidence, filters and trace, transcripts, annotation, and other samples. */

import type { ConditionGroup } from '@seqpanel/crds/conditions/ast.ts';
import { LOD } from '@seqpanel/crds/outputs/call.ts';
import type { FiltersFile } from '@seqpanel/crds/outputs/post-filter.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { callDir, POST_FILTER_DIR, REPORT_DIR } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { optionalRowsOf } from '../background/ingest/read-table.ts';
import type { CallEvidenceTable } from '../db/tables/variants.ts';
import { NotFound } from '../errors.ts';
import { type FrozenIndex, readFrozenJson } from '../storage/frozen-files.ts';
import { isFile, readText } from '../storage/inside-storage.ts';
import { folderNameOf, folderOf } from '../tasks/task-files.ts';
import { evidenceOf, flagsOf, numberIn, type VariantDetail } from './variant-evidence.ts';
import { type CallColumns, ROW_COLUMNS, readSeen, rowOf, type VariantTask } from './variant-row.ts';

export async function readVariant(
  db: Knex,
  storageDir: string,
  task: VariantTask & { bundle: string | null; frozen: FrozenIndex },
  id: string,
): Promise<VariantDetail> {
  const [, index, alleleKey] = /^(\d+)-([0-9a-f]+)$/.exec(id)!;
  const { rows } = await db.raw<{ rows: (CallColumns & Pick<CallEvidenceTable, 'info' | 'trace' | 'genotype'>)[] }>(
    `SELECT ${ROW_COLUMNS}, s.name AS sample, e.info, e.trace, e.genotype FROM call c
       JOIN task_sample s ON s.task_id = c.task_id AND s.idx = c.sample_idx
       JOIN call_evidence e ON (e.task_id, e.sample_idx, e.allele_key) = (c.task_id, c.sample_idx, c.allele_key)
      WHERE c.task_id = ? AND c.sample_idx = ? AND c.allele_key = ?`,
    [task.id, Number(index), alleleKey!],
  );
  const [found] = rows;
  if (!found) throw new NotFound();
  const { info, trace, genotype, ...row } = found;
  const bundle = task.bundle ?? '';
  const [seen, transcripts, annotation, others, filters, cutoff] = await Promise.all([
    readSeen(db, task, [row.allele_key]),
    db('consequence').where({ allele_key: row.allele_key, bundle }).orderBy('ord'),
    db('allele_annotation').where({ allele_key: row.allele_key, bundle }).first(),
    db('call as c')
      .join('task_sample as s', (on) => on.on('s.task_id', 'c.task_id').andOn('s.idx', 'c.sample_idx'))
      .where({ 'c.task_id': task.id, 'c.allele_key': row.allele_key })
      .whereNot('c.sample_idx', row.sample_idx)
      .orderBy('c.sample_idx')
      .select('s.name as sample', 'c.vaf', 'c.depth', 'c.kept as pass') as Promise<VariantDetail['others']>,
    readFilters(storageDir, folderNameOf(task)),
    readFloor(db, task.frozen),
  ]);
  const plain = rowOf(row, seen);
  return {
    row: plain,
    evidence: evidenceOf(row, info),
    vaf: {
      value: row.vaf,
      low: row.vaf_low,
      high: row.vaf_high,
      cutoff,
      site_error: numberIn(info['SE']),
      lod: await lodAt(storageDir, folderNameOf(task), row.sample, row.chrom, row.pos),
      normal: row.normal_vaf,
    },
    filters: row.filter.map((code) => ({ code })),
    trace: traceOf(filters, trace, conditionFields(row, info)),
    transcripts: transcripts.map(({ allele_key: _, bundle: __, ord: ___, ...transcript }) => transcript),
    annotation: { ...annotation?.data, genotype, info },
    flags: flagsOf(info),
    pileup: await pileupOf(storageDir, folderNameOf(task), row.sample, row.allele_key),
    others,
  };
}

async function readFilters(storageDir: string, taskId: string): Promise<readonly ConditionGroup[]> {
  try {
    const file = folderOf(storageDir, taskId).at(POST_FILTER_DIR, 'filters.json');
    return (JSON.parse(await readText(file)) as FiltersFile).groups;
  } catch {
    return [];
  }
}

/** Adds fields that are not columns of the table, so that conditions can read them (crds/src/conditions/fields.ts). */
const conditionFields = (row: CallColumns, info: Record<string, unknown>): Record<string, unknown> => ({
  ...row,
  filter: row.filter.length === 0 ? 'PASS' : row.filter.join(';'),
  is_hotspot: row.hotspot !== null,
  run_samples: numberIn(info['RUN_N']),
  ntc_fragments: numberIn(info['NTC']),
});

/** Pairs each condition with its bit, in the order of groups, filters, conditions. */
function traceOf(
  groups: readonly ConditionGroup[],
  trace: string | null,
  row: Readonly<Record<string, unknown>>,
): VariantDetail['trace'] {
  if (trace === null) return [];
  const [bits = '', missing = ''] = trace.split('/');
  let at = 0;
  return groups.flatMap((group) =>
    group.filters.flatMap((filter) =>
      filter.conditions.map((condition) => {
        const i = at++;
        return {
          group: group.name,
          filter: filter.name,
          field: condition.field,
          operator: condition.operator,
          value: condition.value,
          missing_passes: condition.missingPasses,
          actual: row[condition.field] ?? null,
          missing: missing[i] === '1',
          pass: bits[i] === '1',
        };
      }),
    ),
  );
}

async function readFloor(db: Knex, frozen: FrozenIndex): Promise<number | null> {
  const preset = await readFrozenJson<Preset>(db, frozen, 'preset.json');
  const own = preset.parameters?.useDefault === false ? preset.parameters.values['report_floor'] : undefined;
  if (typeof own === 'number') return own;
  const panel = await readFrozenJson<PanelFile>(db, frozen, 'panel.json');
  const shipped = panel.parameters?.find(({ key }) => key === 'report_floor')?.default;
  return typeof shipped === 'number' ? shipped : null;
}

/** Limit of detection at the site. Scans lod.tsv.gz, at most a few ten thousand lines. */
async function lodAt(
  storageDir: string,
  taskId: string,
  sample: string,
  chrom: string,
  pos: number,
): Promise<number | null> {
  for await (const row of optionalRowsOf(folderOf(storageDir, taskId).at(callDir(sample), LOD.file))) {
    if (row.number('pos') === pos && row.text('chrom') === chrom) return row.number('lod95');
  }
  return null;
}

/** Returns the path for the output file call. */
async function pileupOf(storageDir: string, taskId: string, sample: string, key: string): Promise<string | null> {
  const path = `${REPORT_DIR}/pileups/${sample}/${key}.json`;
  return (await isFile(folderOf(storageDir, taskId).at(path))) ? path : null;
}
