/** Launches an analysis: all rules first, then every task, its samples and its intent in one transaction (K8S-26). */

import { randomUUID } from 'node:crypto';
import { type LaunchProblem, launchProblems } from '@seqpanel/crds/launch-rules.ts';
import { formatMessage, type MessageCode } from '@seqpanel/crds/messages.ts';
import { resourceNameOf } from '@seqpanel/crds/names.ts';
import type { Knex } from 'knex';
import { type Actor, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid } from '../errors.ts';
import { isLaunchable } from '../panel-types/panel-row.ts';
import type { ReadSettings } from '../settings/read.ts';
import { sha256Of } from '../storage/frozen-files.ts';
import { type Combination, combinations, type Definition, pairsAcross, taskName } from './definition.ts';
import { type Frozen, freeze } from './freeze.ts';
import { insertTask, type NewTask } from './insert-task.ts';
import { checkOpenTasks } from './open-tasks.ts';
import { choosePipeline, readGenome, readPreset, readVerified, readWorld, type World } from './world.ts';

export interface LaunchDeps {
  db: Knex;
  settings: ReadSettings;
  storageDir: string;
  now: () => Date;
}

export interface LaunchRequest {
  groupId: string;
  actor: Actor & { userId: string };
  key: string | undefined;
  definition: Definition;
}

export interface Launched {
  launchId: string;
  taskIds: string[];
}

/** Every broken rule; nothing is changed. */
export async function checkLaunch(deps: LaunchDeps, groupId: string, definition: Definition): Promise<LaunchProblem[]> {
  return problemsOf(definition, await readWorld(deps.db, groupId, definition));
}

/** Throws Invalid with every broken rule in details.problems, Conflict for a key that was used for something else. */
export async function launch(deps: LaunchDeps, request: LaunchRequest): Promise<Launched> {
  const { db, settings, now } = deps;
  const key = request.key ?? randomUUID();
  const hash = sha256Of(JSON.stringify(request.definition));
  const before = await findLaunch(db, request, key, hash);
  if (before) return before;
  const world = await readWorld(db, request.groupId, request.definition);
  refuse(problemsOf(request.definition, world));
  const list = combinations(request.definition);
  const tasks: NewTask[] = [];
  for (const [i, combination] of list.entries()) {
    tasks.push(
      await prepareTask(deps, request, world, combination, taskName(request.definition.name, i + 1, list.length)),
    );
  }
  const launchId = randomUUID();
  try {
    await withTransaction(db, async (trx) => {
      await trx('launch').insert({
        id: launchId,
        group_id: request.groupId,
        user_id: request.actor.userId,
        key,
        request_hash: hash,
        created: now(),
      });
      await checkOpenTasks(trx, settings, request.groupId, tasks.length);
      for (const task of tasks) {
        await insertTask(trx, { ...task, launchId }, now());
        await auditLaunch(trx, request.actor, task, now());
      }
    });
  } catch (error) {
    // The same call came twice at once: the other one made the tasks.
    const other = violatedConstraint(error) === 'launch_key' && (await findLaunch(db, request, key, hash));
    if (other) return other;
    throw error;
  }
  return { launchId, taskIds: tasks.map(({ id }) => id) };
}

export async function auditLaunch(trx: Knex.Transaction, actor: Actor, task: NewTask, now: Date): Promise<void> {
  const changes = changesOfNew({
    panel: task.panel.value,
    preset: task.preset.name,
    samples: task.frozen.samples.length,
  });
  await writeAudit(
    trx,
    { actor, resourceType: 'task', resourceId: task.id, resource: task.frozen.spec.name, action: 'create', changes },
    now,
  );
}

export async function findLaunch(
  db: Knex,
  { groupId, actor }: Pick<LaunchRequest, 'groupId' | 'actor'>,
  key: string,
  hash: string,
): Promise<Launched | undefined> {
  const row = await db('launch').where({ group_id: groupId, user_id: actor.userId, key }).first();
  if (!row) return undefined;
  if (row.request_hash !== hash) throw new Conflict('idempotency_key_reused');
  const tasks = await db('task').where({ launch_id: row.id }).orderBy('name').select('id');
  return { launchId: row.id, taskIds: tasks.map(({ id }) => id) };
}

/** The first problem's code and text stand for the answer; the rest is in details.problems. */
export function refuse(problems: readonly LaunchProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const { code, message: _, ...where } = first;
  throw new LaunchRefused(code as MessageCode, { ...where, problems }, first.message);
}

/** Its message is the problem's own, whose places were filled where it was found. */
class LaunchRefused extends Invalid {
  constructor(code: MessageCode, details: Record<string, unknown>, message: string) {
    super(code, details);
    this.message = message;
  }
}

export function problemsOf(definition: Definition, world: World): LaunchProblem[] {
  const problems: LaunchProblem[] = [];
  const add = (code: MessageCode, where: Omit<LaunchProblem, 'code' | 'message'> = {}, values = {}): void => {
    problems.push({ code, message: formatMessage(code, { ...where, ...values }), ...where });
  };
  if (!world.project) add('project_unknown', { field: 'project' });
  const panels = new Map(
    [...world.panels].map(([id, panel]) => [
      id,
      { bamAllowed: panel.panel?.bamAllowed ?? false, launchable: isLaunchable(panel), name: panel.display_name },
    ]),
  );
  problems.push(
    ...launchProblems(definition, { panels, ...(world.project && { files: new Set(world.files.keys()) }) }),
  );
  problems.push(...pairsAcross(definition));
  for (const { panelId, presetId, samples } of combinations(definition)) {
    const where = { field: 'preset', ...(samples[0] && { sample: samples[0].name }) };
    const preset = presetId === null ? undefined : world.presets.get(presetId);
    if (presetId !== null && !preset) add('preset_unknown', where);
    else if (preset && preset.panel_type_id !== panelId) add('preset_wrong_panel', where);
  }
  if (world.pipelines.length === 0) add('pipeline_none');
  return problems;
}

async function prepareTask(
  { storageDir }: LaunchDeps,
  { groupId, actor, definition }: LaunchRequest,
  world: World,
  combination: Combination,
  name: string,
): Promise<NewTask> {
  const panel = world.panels.get(combination.panelId)!;
  const saved = combination.presetId === null ? undefined : world.presets.get(combination.presetId);
  const pipeline = choosePipeline(world.pipelines, saved?.content.pipelineVersion)!;
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
    project: world.project!.id,
    requestedBy: actor.username,
    combination,
    projectFiles: world.files,
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
    projectId: world.project!.id,
    actor,
    panel: { id: panel.id, value: panel.value, name: panel.display_name, file: panel.panel },
    preset,
    definition,
    frozen,
    notes: definition.notes ?? '',
    rerunOf: null,
  };
}
