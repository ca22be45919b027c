/** Reruns a task: a new task from the frozen copies of an earlier one. Only the facts for the rules are read again. */

import { randomUUID } from 'node:crypto';
import { toLaunchSample } from '@seqpanel/crds/launch-sample.ts';
import { runNameProblem } from '@seqpanel/crds/names.ts';
import { fromSpecSample } from '@seqpanel/crds/sample.ts';
import type { TaskTable } from '../db/tables/tasks.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { readUsablePipelines } from '../pipelines/usable-pipelines.ts';
import { type FrozenSampleFile, sha256Of } from '../storage/frozen-files.ts';
import type { Definition } from './definition.ts';
import { isAllowed, readGenome } from './launch-context.ts';
import type { LaunchDeps } from './launch-service.ts';
import type { LaunchRequest } from './prepare-tasks.ts';
import { assessRerun, type RerunAssessment, type RerunProblem } from './rerun-rules.ts';
import { fromSampleRow, SAMPLE_COLUMNS, type SampleRow } from './sample-row.ts';
import { findLaunch, type Launched, storeLaunch } from './store-launch.ts';

export interface RerunRequest extends Pick<LaunchRequest, 'groupId' | 'actor' | 'key'> {
  taskId: string;
  useOldVersion: boolean;
  name: string | undefined;
}

type ShownProblem = Pick<RerunProblem, 'code' | 'message'>;

export interface RerunCheck {
  refusal: ShownProblem | null;
  warnings: ShownProblem[];
  definition: Definition;
}

export async function checkRerun(deps: LaunchDeps, groupId: string, taskId: string): Promise<RerunCheck> {
  const task = await readTask(deps, groupId, taskId);
  const { refusal, warnings } = await judge(deps, task);
  return {
    refusal: refusal && shown(refusal),
    warnings: warnings.map(shown),
    definition: task.definition ?? definitionOfExternal(task),
  };
}

const shown = ({ code, message }: RerunProblem): ShownProblem => ({ code, message });

/** Throws Conflict with the code of the refusal, or of the first warning unless the old version is requested. */
export async function rerun(deps: LaunchDeps, request: RerunRequest): Promise<Launched> {
  const { db } = deps;
  const hash = sha256Of(JSON.stringify(['rerun', request.taskId, request.useOldVersion, request.name ?? null]));
  const { groupId, actor } = request;
  const identity = { groupId, userId: actor.userId, key: request.key ?? randomUUID(), hash };
  const before = await findLaunch(db, identity);
  if (before) return before;
  const task = await readTask(deps, request.groupId, request.taskId);
  const { refusal, warnings } = await judge(deps, task);
  const details = { warnings: warnings.map(shown) };
  if (refusal) throw new Conflict(refusal.code, { ...refusal.values, ...details, name: task.name });
  const [warning] = warnings;
  if (warning && !request.useOldVersion)
    throw new Conflict(warning.code, { ...warning.values, ...details, name: task.pipeline_name });
  const name = request.name ?? task.name;
  const nameProblem = runNameProblem(name);
  if (nameProblem) throw new Invalid(nameProblem);
  const rows: SampleRow<FrozenSampleFile>[] = await db('task_sample')
    .where({ task_id: task.id })
    .orderBy('idx')
    .select(SAMPLE_COLUMNS);
  const { abort: _, ...spec } = task.spec;
  const copy = {
    id: randomUUID(),
    groupId: request.groupId,
    projectId: task.project_id,
    actor: request.actor,
    panel: {
      id: task.panel_type_id,
      value: task.panel_value,
      name: task.panel_name,
      file: { synthetic: task.synthetic, analysisTypes: task.analysis_types },
    },
    preset: { id: task.preset_id, name: task.preset_name, version: task.preset_version },
    definition: { ...(task.definition ?? definitionOfExternal(task)), name },
    frozen: {
      spec: { ...spec, name, requestedBy: request.actor.username },
      samples: rows.map(fromSampleRow),
      index: task.frozen,
    },
    notes: '',
    rerunOf: task.id,
  };
  return await storeLaunch(deps, identity, [copy]);
}

type GroupTask = TaskTable & { group_id: string };

async function readTask({ db }: LaunchDeps, groupId: string, taskId: string): Promise<GroupTask> {
  const task = await db('task').where({ id: taskId, group_id: groupId }).first();
  if (!task) throw new NotFound();
  return { ...task, group_id: groupId };
}

async function judge({ db, storageDir }: LaunchDeps, task: GroupTask): Promise<RerunAssessment> {
  const panel = task.panel_type_id ? await db('panel_type').where({ id: task.panel_type_id }).first('*') : undefined;
  const preset = task.preset_id
    ? ((await db('preset').where({ id: task.preset_id }).whereNull('deleted').first('version')) ?? null)
    : undefined;
  const pipelines = await readUsablePipelines(db);
  const genome = panel ? await readGenome(storageDir, panel.genome) : undefined;
  const { frozen } = task;
  return assessRerun({
    external: task.external,
    panelValue: task.panel_value,
    panel: panel && {
      value: panel.value,
      active: panel.active,
      allowed: isAllowed(panel, task.group_id),
      sha256: panel.files.panel.sha256,
      control: panel.files.control?.sha256 ?? null,
    },
    panelSha256: task.panel_sha256,
    control: frozen['control.txt']?.sha256 ?? null,
    presetVersion: task.preset_version,
    preset,
    pipeline: task.pipeline_name,
    pipelines: pipelines.map(({ name }) => name),
    annotation: { frozen: frozen['annotation.json']?.sha256 ?? null, now: genome ? sha256Of(genome.annotation) : null },
    missingFiles: await missingFiles(db, task.id),
  });
}

/** Names of input files that were deleted from the project or have other bytes. */
async function missingFiles(db: LaunchDeps['db'], taskId: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT file->>'name' AS name FROM task_sample s, jsonb_array_elements(s.files) file
      WHERE s.task_id = ? AND NOT EXISTS (SELECT 1 FROM project_file f
        WHERE f.id::text = file->>'id' AND f.deleted IS NULL AND f.sha256 = file->>'sha256')`,
    [taskId],
  );
  return rows.map(({ name }) => name);
}

/** Builds a definition for display from the spec, because a task made with kubectl has no launch. */
const definitionOfExternal = (task: GroupTask): Definition => ({
  name: task.name,
  project: task.project_id ?? '',
  samples: task.spec.samples.map((sample) => ({
    ...toLaunchSample(fromSpecSample(sample, undefined)),
    skipped: false,
  })),
});
