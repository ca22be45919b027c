/** What the operator keeps of a task in memory: thousands of tasks of hundreds of samples must fit. */

import { type AnalysisTask, INGESTED_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { CONDITION } from './conditions.ts';
import { isFinished } from './plan.ts';

/** kubectl keeps the whole object in it once more. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The spec of every finished task; nothing is read of it any more. */
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
 * The task with nothing of its samples but their names. What the steps are told of the samples is asked for when their
 * file is made. Of a finished task only what its deletion needs: uid, end and ingest.
 */
export function trimTask(task: Stored<AnalysisTask>): Stored<AnalysisTask> {
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

/** A sample has at least one file, and a task at least one sample. */
export const isTrimmed = ({ spec }: AnalysisTask): boolean =>
  spec.samples.length === 0 || spec.samples.some(({ files }) => files.length === 0);
