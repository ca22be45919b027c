/** Follows the AnalysisTasks and keeps the status of their rows. */

import { correlationOf } from '@seqpanel/crds/correlation.ts';
import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import type { Reflector } from '@seqpanel/crds/kube/reflector.ts';
import { type CachedTask, trimForCache } from './cached-task.ts';
import { type MirrorContext, readResource } from './mirror-context.ts';
import { mirrorTask } from './mirror-task.ts';
import { missingTasks, settleVanished } from './vanished.ts';
import type { SweptKind } from './vanished-sweep.ts';

export interface FollowedTasks {
  reflector: Reflector<AnalysisTask, CachedTask>;
  /** Age in ms of the oldest status not yet written to its row; 0 when all are written. */
  lagMs(): number;
  swept: SweptKind;
}

export function followTasks(context: MirrorContext): FollowedTasks {
  const { db, log, now, reflectors, signal, onTask } = context;
  /** Time since which tasks cannot be watched; undefined while they can. */
  let lostSince: Date | undefined = now();

  const settle = async (name: string): Promise<void> => {
    if (await settleVanished(context, name, signal)) onTask();
  };
  const reflector = reflectors.reflect<AnalysisTask, CachedTask>(ANALYSIS_TASKS, trimForCache, {
    compared: (task) => task,
    gone: settle,
    onInterrupted: () => {
      lostSince ??= now();
    },
    write: async (task, key) => {
      const { name, uid, annotations } = task.metadata;
      const result = await mirrorTask(db, task, now(), () => readResource(context, ANALYSIS_TASKS, name));
      reflectors.recordWritten(key, task.metadata);
      const about = { task: name, uid, ...correlationOf(annotations) };
      if (result === 'foreign') log.warn(about, 'resource belongs to no task, ignoring its status');
      if (result !== 'written') return;
      log.debug({ ...about, phase: task.status.phase, revision: task.status.revision }, 'status written');
      onTask();
    },
  });
  return {
    reflector,
    lagMs: () => {
      if (reflector.healthy) lostSince = undefined;
      const oldest = reflectors.queue.oldest(ANALYSIS_TASKS.kind);
      const since = [oldest, lostSince].flatMap((date) => date?.getTime() ?? []);
      return since.length > 0 ? Math.max(0, now().getTime() - Math.min(...since)) : 0;
    },
    swept: {
      reflector,
      settle: async () => {
        const known = new Map(reflector.store.list().map(({ metadata }) => [metadata.name, metadata.uid]));
        for (const name of await missingTasks(db, known)) await settle(name);
      },
    },
  };
}
