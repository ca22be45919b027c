/** Maps a genome between its row, its resource and its answer. */
import { API_VERSION, type Genome as GenomeObject } from '@seqpanel/crds/kinds.ts';
import { resourceNameOf } from '@seqpanel/crds/names.ts';
import { isTrue } from '@seqpanel/crds/resource-conditions.ts';
import { withoutState } from '../configuration/owned-rows.ts';
import { versionOf } from '../configuration/row-version.ts';
import type { GenomeRow } from '../db/tables/configuration.ts';
import type { AnswerOf } from '../feature.ts';

export type { GenomeRow };
export type Genome = AnswerOf<'getGenome'>;

export function genomeObject(row: GenomeRow, namespace: string): GenomeObject {
  return {
    apiVersion: API_VERSION,
    kind: 'Genome',
    metadata: { name: resourceNameOf(row.value), namespace },
    spec: {
      displayName: row.display_name,
      value: row.value,
      active: row.active,
      synthetic: row.synthetic,
      ...(row.instance_type && { instanceType: row.instance_type }),
      ...(row.file_extensions.length > 0 && { fileExtensions: row.file_extensions }),
      source: row.source,
      ...(row.annotation.length > 0 && {
        annotation: row.annotation.map(({ path, ...source }) => ({ ...source, source: { path } })),
      }),
    },
  } as GenomeObject;
}

export function genomeAnswer(row: GenomeRow): Genome {
  return {
    id: row.id,
    display_name: row.display_name,
    value: row.value,
    active: row.active,
    synthetic: row.synthetic,
    instance_type: row.instance_type,
    file_extensions: row.file_extensions,
    source: row.source,
    annotation: row.annotation,
    ready: isTrue(row.status.conditions, 'Ready'),
    conditions: (row.status.conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => ({
      type,
      status,
      reason,
      message,
      lastTransitionTime,
    })),
    contigs: row.status.contigs ?? [],
    created: row.created.toISOString(),
    version: versionOf(row),
  };
}

/** Encodes lists and objects as JSON, because pg would write a JavaScript array as an SQL array. */
export function storedGenome({
  file_extensions,
  source,
  annotation,
  status,
  ...row
}: GenomeRow): Record<string, unknown> {
  return {
    ...withoutState(row),
    file_extensions: JSON.stringify(file_extensions),
    source: JSON.stringify(source),
    annotation: JSON.stringify(annotation),
    status: JSON.stringify(status),
  };
}
