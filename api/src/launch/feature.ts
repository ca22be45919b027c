/** Calls that start tasks. */

import { actorOf } from '../audit/write-audit.ts';
import type { Call, Deps, Feature } from '../feature.ts';
import { readTaskRows } from '../tasks/task-rows.ts';
import { checkLaunch, type LaunchDeps, launch } from './launch-service.ts';
import { checkRerun, rerun } from './rerun.ts';
import type { Launched } from './store-launch.ts';

export function createLaunch(deps: Deps, wakeDispatcher: () => void): Feature {
  const { db, settings, now } = deps;
  const own: LaunchDeps = { db, settings, storageDir: deps.config.storageDir, now };
  const answer = async ({ launchId, taskIds }: Launched) => {
    wakeDispatcher();
    return { launch_id: launchId, tasks: await readTaskRows(deps.db, taskIds, deps.now()) };
  };
  const keyOf = ({ req }: Pick<Call, 'req'>): string | undefined => req.get('idempotency-key') || undefined;
  const actor = (call: Pick<Call, 'caller' | 'req'>) => ({ ...actorOf(call), userId: call.caller.userId });
  return {
    name: 'launch',
    routes: {
      launchTask: {
        role: 'group-member',
        handle: async (call) =>
          answer(
            await launch(own, { groupId: call.group.id, actor: actor(call), key: keyOf(call), definition: call.body }),
          ),
      },
      checkLaunch: {
        role: 'group-member',
        handle: async (call) => ({ problems: await checkLaunch(own, call.group.id, call.body) }),
      },
      checkRerun: {
        role: 'group-member',
        handle: async (call) => {
          const { refusal, warnings, definition } = await checkRerun(own, call.group.id, call.params.id);
          return { allowed: refusal === null, refusal, warnings, definition };
        },
      },
      rerunTask: {
        role: 'group-member',
        handle: async (call) =>
          answer(
            await rerun(own, {
              groupId: call.group.id,
              actor: actor(call),
              key: keyOf(call),
              taskId: call.params.id,
              ...rerunBody(call.req.body),
            }),
          ),
      },
    },
  };
}

/** The body is optional. */
const rerunBody = (body: { use_old_version?: boolean; name?: string } | undefined) => ({
  useOldVersion: body?.use_old_version ?? false,
  name: body?.name,
});
