/** Maps a panel type between its row, its resource and its answer. */
import { API_VERSION, type PanelType as PanelTypeObject } from '@seqpanel/crds/kinds.ts';
import { resourceNameOf } from '@seqpanel/crds/names.ts';
import { isFalse, isTrue } from '@seqpanel/crds/resource-conditions.ts';
import type { Knex } from 'knex';
import { withoutState } from '../configuration/owned-rows.ts';
import { versionOf } from '../configuration/row-version.ts';
import type { PanelFiles, PanelRow, StoredFile } from '../db/tables/configuration.ts';
import type { AnswerOf } from '../feature.ts';

export type { PanelFiles, PanelRow, StoredFile };
export type PanelType = AnswerOf<'getPanelType'>;

/** Columns of a panel type that the audit log shows. */
export const auditedPanel = (row: PanelRow): Record<string, unknown> => ({
  display_name: row.display_name,
  value: row.value,
  panel_group: row.panel_group,
  active: row.active,
  is_default: row.is_default,
  group_list: row.group_list,
  genome: row.genome,
  instance_type: row.instance_type,
  file_extensions: row.file_extensions,
  panel_file: row.files.panel.sha256,
  control_file: row.files.control?.sha256 ?? null,
  control_data_file: row.files.control_data?.sha256 ?? null,
  parameter_files: row.files.parameters.map(({ name, sha256 }) => `${name} ${sha256}`),
});

export function panelTypeObject(row: PanelRow, namespace: string): PanelTypeObject {
  const file = ({ path, sha256 }: StoredFile) => ({ path, sha256 });
  const { panel, control, parameters } = row.files;
  return {
    apiVersion: API_VERSION,
    kind: 'PanelType',
    metadata: { name: resourceNameOf(row.value), namespace },
    spec: {
      displayName: row.display_name,
      value: row.value,
      ...(row.panel_group && { group: row.panel_group }),
      active: row.active,
      default: row.is_default,
      ...(row.group_list && { allowedGroups: row.group_list }),
      genome: resourceNameOf(row.genome),
      ...(row.instance_type && { instanceType: row.instance_type }),
      fileExtensions: row.file_extensions,
      files: {
        panel: file(panel),
        ...(control && { control: file(control) }),
        ...(parameters.length > 0 && { parameters: parameters.map(file) }),
      },
    },
  } as PanelTypeObject;
}

/** Encodes lists and objects as JSON for insert and update. */
export function storedPanel({
  group_list,
  file_extensions,
  files,
  panel,
  problems,
  status,
  ...row
}: PanelRow): Record<string, unknown> {
  return {
    ...withoutState(row),
    group_list: group_list && JSON.stringify(group_list),
    file_extensions: JSON.stringify(file_extensions),
    files: JSON.stringify(files),
    panel: panel && JSON.stringify(panel),
    problems: JSON.stringify(problems),
    status: JSON.stringify(status),
  };
}

/** Valid: the api found no problems in its files, and neither did the check Job. */
export const isValid = (row: Pick<PanelRow, 'problems' | 'status'>): boolean =>
  row.problems.length === 0 && !isFalse(row.status.conditions, 'Valid');

/** Ready: its files agree, and the check Job found it valid and its genome ready. */
export const isReady = (row: Pick<PanelRow, 'problems' | 'status'>): boolean =>
  row.problems.length === 0 && isTrue(row.status.conditions, 'Valid') && isTrue(row.status.conditions, 'Ready');

export const isLaunchable = (row: Pick<PanelRow, 'active' | 'panel' | 'problems' | 'status'>): boolean =>
  row.active && row.panel !== null && isReady(row);

/** Columns read for lists: all but the panel files, which are large. */
const COLUMNS = [
  'id value display_name panel_group active is_default group_list genome instance_type file_extensions files problems status created modified'.split(
    ' ',
  ),
].flat();

export const panelColumns = (db: Knex) => [
  ...COLUMNS,
  db.raw(`jsonb_build_object('bamAllowed', panel->'bamAllowed', 'synthetic', panel->'synthetic',
    'analysisTypes', panel->'analysisTypes', 'amplicons', jsonb_array_length(coalesce(panel->'amplicons', '[]'))) AS facts`),
];

export interface PanelFacts {
  bamAllowed: boolean | null;
  synthetic: boolean | null;
  analysisTypes: string[] | null;
  amplicons: number;
}

export function panelAnswer(row: PanelRow & { facts: PanelFacts }): PanelType {
  const shown = ({ name, sha256, size }: StoredFile) => ({ name, sha256, size });
  const { panel, control, control_data: data, parameters } = row.files;
  const found = (row.status.conditions ?? []).filter(
    ({ type, status }) => ['Valid', 'Ready'].includes(type) && status === 'False',
  );
  return {
    id: row.id,
    display_name: row.display_name,
    value: row.value,
    active: row.active,
    is_default: row.is_default,
    valid: isValid(row),
    ready: isReady(row),
    problems: [...row.problems, ...found.map(({ reason, message }) => ({ code: reason, message }))],
    panel_group: row.panel_group,
    group_list: row.group_list,
    genome: row.genome,
    instance_type: row.instance_type,
    file_extensions: row.file_extensions,
    files: {
      panel: shown(panel),
      control: control && shown(control),
      control_data: data && shown(data),
      parameters: parameters.map(shown),
    },
    bam_allowed: row.facts.bamAllowed ?? false,
    synthetic: row.facts.synthetic ?? false,
    amplicons: row.facts.amplicons,
    analysis_types: row.facts.analysisTypes ?? [],
    created: row.created.toISOString(),
    modified: row.modified.toISOString(),
    version: versionOf(row),
  };
}
