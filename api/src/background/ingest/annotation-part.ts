/** Part 2a, once per task after post-filter: its alleles and their annotation from the bundle. */

import { createHash } from 'node:crypto';
import { ALLELES, CONSEQUENCES } from '@seqpanel/crds/outputs/annotation.ts';
import { columnNames } from '@seqpanel/crds/outputs/table.ts';
import { ANNOTATION_DIR } from '@seqpanel/crds/storage.ts';
import { isMissing, readText, type StoragePlace } from '../../storage/inside-storage.ts';
import { type CopyValue, copyRows } from './copy-rows.ts';
import type { PartContext } from './part.ts';
import { optionalRowsOf } from './read-table.ts';

const ALLELE_COLUMNS = new Set(['allele_key', 'chrom', 'pos', 'ref', 'alt']);

/** Names the bundle and the preferred transcripts, which decide the order of an allele's consequences. */
export async function writeAnnotation(
  { trx, task, folder }: PartContext,
  genome: string,
  transcripts: unknown,
): Promise<string> {
  const manifest = await readText(folder.at(ANNOTATION_DIR, 'manifest.json')).catch((error) => {
    if (isMissing(error)) return '{}';
    throw error;
  });
  const bundle = createHash('sha256')
    .update(JSON.stringify([genome, JSON.parse(manifest).sources ?? [], transcripts]))
    .digest('hex')
    .slice(0, 16);
  await trx.raw('CREATE TEMP TABLE new_allele (LIKE allele) ON COMMIT DROP');
  await trx.raw('CREATE TEMP TABLE new_annotation (LIKE allele_annotation) ON COMMIT DROP');
  await trx.raw('CREATE TEMP TABLE new_consequence (LIKE consequence) ON COMMIT DROP');
  const alleles = folder.at(ANNOTATION_DIR, ALLELES.file);
  await copyRows(trx, 'new_allele', ['key', 'genome', 'chrom', 'pos', 'ref', 'alt'], alleleRows(alleles, genome));
  await copyRows(
    trx,
    'new_annotation',
    ['allele_key', 'bundle', 'rsid', 'hgvs_g', 'population_af', 'clinical_significance', 'data'],
    annotationRows(alleles, bundle),
  );
  await copyRows(
    trx,
    'new_consequence',
    CONSEQUENCE_COLUMNS,
    consequenceRows(folder.at(ANNOTATION_DIR, CONSEQUENCES.file), bundle),
  );
  // Inserts in key order, so that two tasks with common alleles wait for each other instead of deadlocking.
  await trx.raw('INSERT INTO allele SELECT * FROM new_allele ORDER BY key ON CONFLICT DO NOTHING');
  await trx.raw(
    'INSERT INTO allele_annotation SELECT * FROM new_annotation ORDER BY allele_key ON CONFLICT DO NOTHING',
  );
  await trx.raw(
    'INSERT INTO consequence SELECT * FROM new_consequence ORDER BY allele_key, ord ON CONFLICT DO NOTHING',
  );
  await trx('task').where({ id: task.id }).update({ bundle });
  return bundle;
}

async function* alleleRows(file: StoragePlace, genome: string): AsyncGenerator<CopyValue[]> {
  for await (const row of optionalRowsOf(file)) {
    yield [row.text('allele_key'), genome, row.text('chrom'), row.number('pos'), row.text('ref'), row.text('alt')];
  }
}

async function* annotationRows(file: StoragePlace, bundle: string): AsyncGenerator<CopyValue[]> {
  const others = columnNames(ALLELES).filter((name) => !ALLELE_COLUMNS.has(name));
  for await (const row of optionalRowsOf(file)) {
    const data = Object.fromEntries(
      others.flatMap((name) => (row.text(name) === null ? [] : [[name, row.text(name)]])),
    );
    const significance = row.text('clinvar_terms');
    yield [
      row.text('allele_key'),
      bundle,
      row.text('rsid'),
      row.text('hgvs_g'),
      row.number('population_af'),
      significance,
      data,
    ];
  }
}

const CONSEQUENCE_COLUMNS = [
  'allele_key',
  'bundle',
  'ord',
  'transcript',
  'rank',
  'gene',
  'consequence',
  'impact',
  'exon',
  'intron',
  'hgvs_c',
  'hgvs_p',
  'sift',
  'polyphen',
];

/** The file lists the preferred consequence first. */
async function* consequenceRows(file: StoragePlace, bundle: string): AsyncGenerator<CopyValue[]> {
  const seen = new Map<string, number>();
  for await (const row of optionalRowsOf(file)) {
    const key = row.text('allele_key');
    if (key === null) continue;
    const ord = seen.get(key) ?? 0;
    seen.set(key, ord + 1);
    const texts = ['gene', 'consequence', 'impact', 'exon', 'intron', 'hgvs_c', 'hgvs_p'].map((name) => row.text(name));
    yield [
      key,
      bundle,
      ord,
      row.text('transcript') ?? '',
      row.text('rank'),
      ...texts,
      row.number('sift'),
      row.number('polyphen'),
    ];
  }
}
