/** Rerun: a new task from the frozen copies of an earlier one; nothing is read anew but the rules' facts. */

import { randomUUID } from 'node:crypto';
import { runNameProblem } from '@seqpanel/crds/names.ts';
import type { TaskTable } from '../db/tables/tasks.ts';
import { withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { readUsablePipelines } from '../pipelines/usable-pipelines.ts';
import { sha256Of } from '../storage/frozen-files.ts';
import type { Definition } from './definition.ts';
import type { FrozenSample } from './freeze.ts';
import { insertTask } from './insert-task.ts';
import { auditLaunch, findLaunch, type LaunchDeps, type Launched, type LaunchRequest } from './launch-service.ts';
import { checkOpenTasks } from './open-tasks.ts';
import { judgeRerun, type RerunVerdict } from './rerun-rules.ts';
import { isAllowed, readGenome } from './world.ts';

export interface RerunRequest extends Pick<LaunchRequest, 'groupId' | 'actor' | 'key'> {
  taskId: string;
  useOldVersion: boolean;
  name: string | undefined;
}

export interface RerunCheck extends RerunVerdict {
  definition: Definition;
}

export async function checkRerun(deps: LaunchDeps, groupId: string, taskId: string): Promise<RerunCheck> {
  const task = await readTask(deps, groupId, taskId);
  return { ...(await judge(deps, task)), definition: task.definition ?? definitionOfExternal(task) };
}

/** Throws Conflict with the refusal's code, or with the first warning's unless the old version is asked for. */
export async function rerun(deps: LaunchDeps, request: RerunRequest): Promise<Launched> {
  const { db, settings, now } = deps;
  const key = request.key ?? randomUUID();
  const hash = sha256Of(JSON.stringify(['rerun', request.taskId, request.useOldVersion, request.name ?? null]));
  const before = await findLaunch(db, request, key, hash);
  if (before) return before;
  const task = await readTask(deps, request.groupId, request.taskId);
  const { refusal, warnings } = await judge(deps, task);
  if (refusal) throw new Conflict(refusal.code, { warnings, name: task.name });
  const [warning] = warnings;
  if (warning && !request.useOldVersion) throw new Conflict(warning.code, { warnings, name: task.pipeline_name });
  const name = request.name ?? task.name;
  const nameProblem = runNameProblem(name);
  if (nameProblem) throw new Invalid(nameProblem);
  const samples: FrozenSample[] = await db('task_sample')
    .where({ task_id: task.id })
    .orderBy('idx')
    .select(FROZEN_COLUMNS);
  const { abort: _, ...spec } = task.spec;
  const launchId = randomUUID();
  const id = randomUUID();
  const copy = {
    id,
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
      samples,
      index: task.frozen,
    },
    notes: '',
    rerunOf: task.id,
  };
  await withTransaction(db, async (trx) => {
    await trx('launch').insert({
      id: launchId,
      group_id: request.groupId,
      user_id: request.actor.userId,
      key,
      request_hash: hash,
      created: now(),
    });
    await checkOpenTasks(trx, settings, request.groupId, 1);
    await insertTask(trx, { ...copy, launchId }, now());
    await auditLaunch(trx, request.actor, copy, now());
  });
  return { launchId, taskIds: [id] };
}

type GroupTask = TaskTable & { group_id: string };

async function readTask({ db }: LaunchDeps, groupId: string, taskId: string): Promise<GroupTask> {
  const task = await db('task').where({ id: taskId, group_id: groupId }).first();
  if (!task) throw new NotFound();
  return { ...task, group_id: groupId };
}

async function judge({ db, storageDir }: LaunchDeps, task: GroupTask): Promise<RerunVerdict> {
  const panel = task.panel_type_id ? await db('panel_type').where({ id: task.panel_type_id }).first('*') : undefined;
  const preset = task.preset_id
    ? ((await db('preset').where({ id: task.preset_id }).whereNull('deleted').first('version')) ?? null)
    : undefined;
  const pipelines = await readUsablePipelines(db);
  const genome = panel ? await readGenome(storageDir, panel.genome) : undefined;
  const { frozen } = task;
  return judgeRerun({
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

/** Names of input files that are not in the project any more, or whose bytes are others. */
async function missingFiles(db: LaunchDeps['db'], taskId: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT file->>'name' AS name FROM task_sample s, jsonb_array_elements(s.files) file
      WHERE s.task_id = ? AND NOT EXISTS (SELECT 1 FROM project_file f
        WHERE f.id::text = file->>'id' AND f.deleted IS NULL AND f.sha256 = file->>'sha256')`,
    [taskId],
  );
  return rows.map(({ name }) => name);
}

const FROZEN_COLUMNS = [
  'name',
  'library_id',
  'qc_type',
  'role',
  'control_material',
  'cnv_normal',
  'tumor_content',
  'well',
  'i7',
  'i5',
  'pair',
  'files',
] as const satisfies readonly (keyof FrozenSample)[];

/** A task made with kubectl has no launch; what its spec says of samples is enough to look at. */
const definitionOfExternal = (task: GroupTask): Definition => ({
  name: task.name,
  project: task.project_id ?? '',
  samples: (task.spec.samples ?? []).map((sample) => ({
    name: sample.name,
    library_id: sample.libraryId,
    files: sample.files.map(({ name }) => ({ name })),
    qc_type: 'Sample' as const,
    role: 'germline' as const,
    cnv_normal: false,
    skipped: false,
  })),
});
