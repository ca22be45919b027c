/** Launches an analysis: checks all rules, prepares the tasks, then stores them in one transaction [K8S-26]. */

import { randomUUID } from 'node:crypto';
import type { LaunchProblem } from '@seqpanel/crds/launch-rules.ts';
import type { Knex } from 'knex';
import type { ReadSettings } from '../settings/read.ts';
import { sha256Of } from '../storage/frozen-files.ts';
import type { Definition } from './definition.ts';
import { readLaunchContext } from './launch-context.ts';
import { problemsOf, rejectProblems } from './launch-problems.ts';
import { type LaunchRequest, prepareTasks } from './prepare-tasks.ts';
import { findLaunch, type Launched, storeLaunch } from './store-launch.ts';

export interface LaunchDeps {
  db: Knex;
  settings: ReadSettings;
  storageDir: string;
  now: () => Date;
}

/** Returns every broken rule and changes nothing. */
export async function checkLaunch(deps: LaunchDeps, groupId: string, definition: Definition): Promise<LaunchProblem[]> {
  return problemsOf(definition, await readLaunchContext(deps.db, groupId, definition));
}

/** Throws Invalid with every broken rule in details.problems, and Conflict for a key used for another request. */
export async function launch(deps: LaunchDeps, request: LaunchRequest): Promise<Launched> {
  const { groupId, actor, definition } = request;
  const hash = sha256Of(JSON.stringify(definition));
  const identity = { groupId, userId: actor.userId, key: request.key ?? randomUUID(), hash };
  const before = await findLaunch(deps.db, identity);
  if (before) return before;
  const context = await readLaunchContext(deps.db, groupId, definition);
  rejectProblems(problemsOf(definition, context));
  const tasks = await prepareTasks(deps.storageDir, request, context);
  return await storeLaunch(deps, identity, tasks);
}
