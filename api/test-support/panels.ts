/** A small panel file, its forms, and a genome's row, for tests. */
import { randomUUID } from 'node:crypto';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { SHIPPED_PARAMETERS } from '@seqpanel/crds/parameters.ts';
import type { Knex } from 'knex';

export const GENOME = 'mini';

/** Returns a value that no other panel type has. */
export const aValue = (): string => `p${randomUUID().slice(0, 8)}`;

/** Returns a panel of two amplicons on a contig of 10,000 bases. `change` replaces parts. */
export function aPanel(value: string, change: Partial<PanelFile> = {}): PanelFile {
  return {
    schema_version: 1,
    value,
    displayName: `Panel ${value}`,
    version: '1',
    genome: { value: GENOME, contigs: [{ name: '1', length: 10_000 }] },
    chemistry: 'amplicon',
    analysisTypes: ['germline', 'tumor-only'],
    bamAllowed: false,
    amplicons: [
      { name: 'A1', chrom: '1', start: 101, end: 300, insert: { start: 121, end: 280 }, gene: 'AAA' },
      { name: 'A2', chrom: '1', start: 501, end: 700, insert: { start: 521, end: 680 }, gene: 'BBB' },
    ],
    parameters: SHIPPED_PARAMETERS.map((parameter) => ({ ...parameter })),
    ...change,
  };
}

export interface FormFile {
  name: string;
  content: string | Buffer;
}

/** Builds the multipart form of a panel type. Skips undefined fields. */
export function panelForm(
  fields: Record<string, string | undefined>,
  files: Record<string, FormFile | FormFile[] | undefined>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  for (const [part, given] of Object.entries(files)) {
    for (const file of [given ?? []].flat()) {
      const bytes = typeof file.content === 'string' ? file.content : new Uint8Array(file.content);
      form.append(part, new Blob([bytes]), file.name);
    }
  }
  return form;
}

export const panelFileOf = (panel: PanelFile): FormFile => ({
  name: `${panel.value}.json`,
  content: JSON.stringify(panel),
});

/** Returns a control file for the amplicons of `aPanel`. */
export const controlFile = (name: string): FormFile => ({
  name,
  content: '[amplicons]\namplicon\tcopies\nA1\t2\n',
});

/** Inserts the row of a ready genome, as after the operator's check Job. */
export async function addGenome(db: Knex, value = GENOME): Promise<void> {
  const now = new Date();
  await db('genome')
    .insert({
      id: randomUUID(),
      value,
      display_name: value,
      source: JSON.stringify({ path: `incoming/${value}.fa` }),
      status: JSON.stringify({
        contigs: [{ name: '1', length: 10_000 }],
        conditions: [
          { type: 'Ready', status: 'True', reason: 'Indexed', message: '', lastTransitionTime: now.toISOString() },
        ],
      }),
      created: now,
      modified: now,
    })
    .onConflict()
    .ignore();
}
