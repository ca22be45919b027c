/** What the mirror keeps of an AnalysisTask in memory: who it is, its status, and how many samples it has. Pure. */

import { correlationAnnotations, correlationOf } from '@seqpanel/crds/correlation.ts';
import { type AnalysisTask, type AnalysisTaskStatus, LAUNCH_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { isOpen } from '@seqpanel/crds/task-status.ts';

export interface KeptTask {
  metadata: Stored<AnalysisTask>['metadata'];
  status: AnalysisTaskStatus;
  samples: number;
}

export function keepTask(task: Stored<AnalysisTask>): KeptTask {
  const { name, namespace, uid, resourceVersion, creationTimestamp, annotations } = task.metadata;
  const launch = annotations?.[LAUNCH_ANNOTATION];
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      annotations: {
        ...(launch !== undefined && { [LAUNCH_ANNOTATION]: launch }),
        ...correlationAnnotations(correlationOf(annotations)),
      },
    },
    status: (task.status ?? {}) as AnalysisTaskStatus,
    samples: task.spec.samples.length,
  };
}

/** A row's task, as far as it says whose a resource is. */
export interface TaskIdentity {
  uid: string | null;
  status: string;
  external: boolean;
  launch_hash: string | null;
}

/**
 * Whose a resource of a row's name is. `own`: the row's. `again`: the row's, made again from a backup while the task was
 * unfinished. `foreign`: another one, whose run says nothing about the row.
 */
export function claimOf(row: TaskIdentity, { metadata }: Pick<KeptTask, 'metadata'>): 'own' | 'again' | 'foreign' {
  if (row.uid === metadata.uid) return 'own';
  const isLaunch = row.launch_hash !== null && metadata.annotations?.[LAUNCH_ANNOTATION] === row.launch_hash;
  if (row.uid === null) return isLaunch || row.launch_hash === null ? 'own' : 'foreign';
  return isLaunch && isOpen(row.status) ? 'again' : 'foreign';
}
