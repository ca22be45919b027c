/**
 * Reads the facts that a launch depends on: the project's files, panels, presets, pipelines and the installed genome.
 */

import { isObjectId } from '@seqpanel/crds/object-ids.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import { installedAnnotation, installedGenome } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import type { PresetTable } from '../db/tables/configuration.ts';
import type { PanelRow } from '../panel-types/panel-row.ts';
import { readUsablePipelines, type UsablePipeline } from '../pipelines/usable-pipelines.ts';
import { sha256Of } from '../storage/frozen-files.ts';
import { isMissing, placeIn, readBytes, readText } from '../storage/inside-storage.ts';
import type { Definition } from './definition.ts';
import type { StoredFile } from './freeze.ts';

export type PresetRow = Pick<PresetTable, 'id' | 'panel_type_id' | 'name' | 'content' | 'version'>;

export interface LaunchContext {
  project: { id: string; name: string } | undefined;
  files: ReadonlyMap<string, StoredFile>;
  panels: ReadonlyMap<string, PanelRow>;
  presets: ReadonlyMap<string, PresetRow>;
  pipelines: readonly UsablePipeline[];
}

const objectIds = (values: Iterable<string | null | undefined>): string[] => [
  ...new Set([...values].flatMap((value) => (isObjectId(value) ? [value.toLowerCase()] : []))),
];

export async function readLaunchContext(db: Knex, groupId: string, definition: Definition): Promise<LaunchContext> {
  const [projectId] = objectIds([definition.project]);
  const project = projectId
    ? await db('project').where({ id: projectId, group_id: groupId }).whereNull('deleted').first('id', 'name')
    : undefined;
  const files: StoredFile[] = project
    ? await db('project_file')
        .where({ project_id: projectId })
        .whereNull('deleted')
        .select('id', 'name', 'size', 'sha256')
    : [];
  const samples = definition.samples;
  const panels: PanelRow[] = await db('panel_type').whereIn(
    'id',
    objectIds([definition.panel, ...samples.map(({ panel }) => panel)]),
  );
  const presets: PresetRow[] = await db('preset')
    .whereIn('id', objectIds([definition.preset, ...samples.map(({ preset }) => preset)]))
    .where({ group_id: groupId })
    .whereNull('deleted');
  const pipelines = await readUsablePipelines(db);
  return {
    project,
    files: new Map(files.map((file) => [file.name, file])),
    panels: new Map(panels.filter((panel) => isAllowed(panel, groupId)).map((panel) => [panel.id, panel])),
    presets: new Map(presets.map((preset) => [preset.id, preset])),
    pipelines,
  };
}

/** Whether the panel is open to all groups or to this one [ROLE-15]. */
export const isAllowed = (panel: Pick<PanelRow, 'group_list'>, groupId: string): boolean =>
  panel.group_list === null || panel.group_list.includes(groupId);

/** Returns the active pipeline of the preset's version, else the default one. */
export function choosePipeline(
  pipelines: readonly UsablePipeline[],
  version: string | undefined,
): UsablePipeline | undefined {
  return pipelines.find((pipeline) => pipeline.version === version) ?? pipelines[0];
}

export interface PresetChoice {
  id: string | null;
  name: string;
  version: number | null;
  content: Preset;
}

/** Returns the saved preset, else the panel's first parameter file, else the factory default. */
export async function readPreset(
  storageDir: string,
  panel: PanelRow,
  preset: PresetRow | undefined,
  pipelineVersion: string,
): Promise<PresetChoice> {
  if (preset) return { id: preset.id, name: preset.name, version: preset.version, content: preset.content };
  const file = panel.files.parameters[0];
  const content = file
    ? (JSON.parse((await readVerified(storageDir, file)).toString()) as Preset)
    : defaultPreset(panel.panel!, pipelineVersion);
  return { id: null, name: content.name, version: null, content };
}

/** Reads a file of storage. Throws when its hash differs from the row. */
export async function readVerified(
  storageDir: string,
  file: Pick<PanelRow['files']['panel'], 'path' | 'sha256'>,
): Promise<Buffer> {
  const content = await readBytes(placeIn(storageDir, file.path));
  if (sha256Of(content) !== file.sha256) throw new Error(`${file.path} was changed on storage`);
  return content;
}

/** Reads genome.json and annotation.json as frozen for a task. Returns undefined while the genome is not installed. */
export async function readGenome(
  storageDir: string,
  genome: string,
): Promise<{ genome: Buffer; annotation: Buffer } | undefined> {
  try {
    const text = await readText(placeIn(storageDir, installedGenome(genome)));
    // Drops `source`, which tasks do not need and which would change the frozen hash.
    const { source: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    const annotation = await readBytes(placeIn(storageDir, installedAnnotation(genome))).catch((error) => {
      if (isMissing(error)) return Buffer.from('{"schema_version":1,"sources":[]}\n');
      throw error;
    });
    return { genome: Buffer.from(`${JSON.stringify(rest, null, 1)}\n`), annotation };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
