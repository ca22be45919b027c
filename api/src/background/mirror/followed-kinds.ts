/** Maps PanelType, Genome and Pipeline to the columns of their rows. */

import type { Genome, PanelType, Pipeline } from '@seqpanel/crds/kinds.ts';
import { genomeColumns, importGenome } from '../../genomes/applied-genome.ts';
import { importPanelType, panelColumns } from '../../panel-types/applied-panel-type.ts';
import { auditedPanel, type PanelRow } from '../../panel-types/panel-row.ts';
import { importPipeline, pipelineColumns } from '../../pipelines/applied-pipeline.ts';
import type { Columns, FollowDeps, Followed } from './follow-resource.ts';

/** Encodes lists and objects as JSON, because pg would write a JavaScript array as an SQL array. */
const asJson = (columns: Columns): Columns =>
  Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object' && !(value instanceof Date) ? JSON.stringify(value) : value,
    ]),
  );

const some =
  (...names: string[]) =>
  (row: Columns): Columns =>
    Object.fromEntries(names.map((name) => [name, row[name]]));

const hashesOf = ({ files: { panel, control, parameters } }: Pick<PanelRow, 'files'>): string =>
  [panel, ...(control ? [control] : []), ...(parameters ?? [])].map(({ sha256 }) => sha256).join(' ');

export const panelTypes = ({ db, now }: FollowDeps, storageDir: string): Followed<PanelType> => ({
  kind: 'PanelType',
  resourceType: 'panel_type',
  add: (resource) => importPanelType(db, storageDir, resource, now()),
  columnsOf: async ({ spec }, row) => {
    const before = row as unknown as PanelRow;
    const after = await panelColumns(db, storageDir, spec, before);
    // Changed files must be checked again before the panel can be launched.
    return { ...after, ...(hashesOf(after) !== hashesOf(before) && { status: {} }) };
  },
  audited: (row) => auditedPanel(row as unknown as PanelRow),
  ended: (now) => ({ active: false, is_default: false, status: {}, modified: now }),
  stored: asJson,
  nameOf: (row) => String(row['value']),
});

export const genomes = ({ db, now }: FollowDeps): Followed<Genome> => ({
  kind: 'Genome',
  resourceType: 'genome',
  add: (resource) => importGenome(db, resource, now()),
  columnsOf: async ({ spec }) => ({ ...genomeColumns(spec) }),
  audited: some('display_name', 'active', 'synthetic', 'instance_type', 'file_extensions', 'source', 'annotation'),
  ended: (now) => ({ active: false, status: {}, modified: now }),
  stored: asJson,
  nameOf: (row) => String(row['value']),
});

export const pipelines = ({ db, now }: FollowDeps): Followed<Pipeline> => ({
  kind: 'Pipeline',
  resourceType: 'pipeline',
  add: (resource) => importPipeline(db, resource, now()),
  columnsOf: async ({ spec }) => ({ ...pipelineColumns(spec) }),
  audited: (row) => {
    const { stages } = row['spec'] as Partial<Pipeline['spec']>;
    return { ...some('display_name', 'version', 'status')(row), stages: stages ?? [] };
  },
  ended: (now) => ({ status: 'deleted', is_default: false, deleted: now }),
  stored: asJson,
  nameOf: (row) => String(row['name']),
});
