/** Trims tasks before they are cached, because thousands of tasks with hundreds of samples must fit in memory. */

import { type AnalysisTask, INGESTED_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { CONDITION } from '@seqpanel/crds/task-conditions.ts';
import { isFinished } from './task-state.ts';

/** kubectl stores a copy of the whole object in this annotation. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Placeholder spec of finished tasks, which no decision reads. */
const FORGOTTEN: AnalysisTask['spec'] = {
  name: '',
  group: '',
  project: '',
  panelType: { name: '', sha256: '' },
  pipeline: { name: '', version: '' },
  preset: { name: '', sha256: '' },
  source: 'fq',
  samples: [],
};

/**
 * Returns the task with only the names of its samples, which is all that decisions and task.json need. A finished task
 * keeps only what its deletion needs: uid, end and ingest.
 */
export function trimForCache(task: Stored<AnalysisTask>): Stored<AnalysisTask> {
  if (isFinished(task.status?.phase)) return trimFinished(task);
  const { managedFields: _, ...metadata } = task.metadata as typeof task.metadata & { managedFields?: unknown };
  const { [LAST_APPLIED]: __, ...annotations } = metadata.annotations ?? {};
  const samples = task.spec.samples.map(({ name }) => ({ name, libraryId: '', files: [] }));
  return { ...task, metadata: { ...metadata, annotations }, spec: { ...task.spec, samples } };
}

function trimFinished({ apiVersion, kind, metadata, status = {} }: Stored<AnalysisTask>): Stored<AnalysisTask> {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, annotations } = metadata;
  const ingested = annotations?.[INGESTED_ANNOTATION];
  const conditions = status.conditions?.filter(({ type }) => type === CONDITION.ingested) ?? [];
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(namespace !== undefined && { namespace }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(ingested !== undefined && { annotations: { [INGESTED_ANNOTATION]: ingested } }),
    },
    spec: FORGOTTEN,
    status: {
      ...(status.phase && { phase: status.phase }),
      ...(status.finished !== undefined && { finished: status.finished }),
      ...(status.revision !== undefined && { revision: status.revision }),
      ...(conditions.length > 0 && { conditions }),
    },
  };
}
