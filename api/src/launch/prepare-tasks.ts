/** Prepares the tasks of a launch that has no problems: reads their files and freezes their inputs. */

import { randomUUID } from 'node:crypto';
import { resourceNameOf } from '@seqpanel/crds/names.ts';
import type { Actor } from '../audit/write-audit.ts';
import { Conflict } from '../errors.ts';
import type { Definition } from './definition.ts';
import { type Combination, combinations, taskName } from './definition.ts';
import { type Frozen, freeze } from './freeze.ts';
import type { NewTask } from './insert-task.ts';
import { choosePipeline, type LaunchContext, readGenome, readPreset, readVerified } from './launch-context.ts';

export interface LaunchRequest {
  groupId: string;
  actor: Actor & { userId: string };
  key: string | undefined;
  definition: Definition;
}

export async function prepareTasks(
  storageDir: string,
  request: LaunchRequest,
  context: LaunchContext,
): Promise<NewTask[]> {
  const list = combinations(request.definition);
  const tasks: NewTask[] = [];
  for (const [i, combination] of list.entries()) {
    const name = taskName(request.definition.name, i + 1, list.length);
    tasks.push(await prepareTask(storageDir, request, context, combination, name));
  }
  return tasks;
}

async function prepareTask(
  storageDir: string,
  { groupId, actor, definition }: LaunchRequest,
  context: LaunchContext,
  combination: Combination,
  name: string,
): Promise<NewTask> {
  const panel = context.panels.get(combination.panelId)!;
  const saved = combination.presetId === null ? undefined : context.presets.get(combination.presetId);
  const pipeline = choosePipeline(context.pipelines, saved?.content.pipelineVersion)!;
  const preset = await readPreset(storageDir, panel, saved, pipeline.version);
  const genome = await readGenome(storageDir, panel.genome);
  if (!genome) throw new Conflict('genome_not_ready', { value: panel.genome });
  const [panelBytes, control] = await Promise.all([
    readVerified(storageDir, panel.files.panel),
    panel.files.control ? readVerified(storageDir, panel.files.control) : undefined,
  ]).catch((cause: unknown) => {
    throw new Conflict('panel_file_unreadable', { panel: panel.display_name }, { cause });
  });
  const frozen: Frozen = freeze({
    name,
    group: groupId,
    project: context.project!.id,
    requestedBy: actor.username,
    combination,
    projectFiles: context.files,
    panelType: resourceNameOf(panel.value),
    genome: resourceNameOf(panel.genome),
    pipeline: { name: pipeline.name, version: pipeline.version },
    preset,
    panel: panelBytes,
    control,
    genomeFile: genome.genome,
    annotation: genome.annotation,
    notify: definition.notify ?? [],
    queue: panel.instance_type || undefined,
  });
  return {
    id: randomUUID(),
    groupId,
    projectId: context.project!.id,
    actor,
    panel: { id: panel.id, value: panel.value, name: panel.display_name, file: panel.panel },
    preset,
    definition,
    frozen,
    notes: definition.notes ?? '',
    rerunOf: null,
  };
}
