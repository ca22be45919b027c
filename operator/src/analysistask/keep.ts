/** What the operator keeps of a task in memory: a thousand tasks of hundreds of samples must fit. */

import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { isFinished } from './plan.ts';

/** kubectl keeps the whole object in it once more. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The task with nothing of its samples but their names, and of a finished one not even these. What the steps are told
 * of the samples is asked for when their file is made.
 */
export function keepTask(task: Stored<AnalysisTask>): Stored<AnalysisTask> {
  const { managedFields: _, ...metadata } = task.metadata as typeof task.metadata & { managedFields?: unknown };
  const { [LAST_APPLIED]: __, ...annotations } = metadata.annotations ?? {};
  const samples = isFinished(task.status?.phase)
    ? []
    : task.spec.samples.map(({ name }) => ({ name, libraryId: '', files: [] }));
  return { ...task, metadata: { ...metadata, annotations }, spec: { ...task.spec, samples } };
}

/** A sample has at least one file. */
export const isCut = ({ spec }: AnalysisTask): boolean => spec.samples.some(({ files }) => files.length === 0);
