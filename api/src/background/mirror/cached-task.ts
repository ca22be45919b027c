/** Trims an AnalysisTask to what the mirror keeps in memory: identity, status and number of samples. Pure. */

import { correlationAnnotations, correlationOf } from '@seqpanel/crds/correlation.ts';
import { type AnalysisTask, type AnalysisTaskStatus, LAUNCH_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { isOpen } from '@seqpanel/crds/task-status.ts';

export interface CachedTask {
  metadata: Stored<AnalysisTask>['metadata'];
  status: AnalysisTaskStatus;
  samples: number;
}

export function trimForCache(task: Stored<AnalysisTask>): CachedTask {
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

/** Columns of a row that identify its task. */
export interface TaskIdentity {
  uid: string | null;
  status: string;
  external: boolean;
  launch_hash: string | null;
}

/**
 * Tells whether a resource with the row's name belongs to the row. `own`: it does. `again`: it does, recreated from a
 * backup while the task was unfinished. `foreign`: it is another task, whose run says nothing about the row.
 */
export function ownershipOf(
  row: TaskIdentity,
  { metadata }: Pick<CachedTask, 'metadata'>,
): 'own' | 'again' | 'foreign' {
  if (row.uid === metadata.uid) return 'own';
  const isLaunch = row.launch_hash !== null && metadata.annotations?.[LAUNCH_ANNOTATION] === row.launch_hash;
  if (row.uid === null) return isLaunch || row.launch_hash === null ? 'own' : 'foreign';
  return isLaunch && isOpen(row.status) ? 'again' : 'foreign';
}
