/**
 * Builds the ConfigMap with task.json, shared by all steps of a task: owned by the task, immutable, and deleted when the
 * task ends. It also holds the Pipeline, so that a task ends with the steps it started with.
 */

import type { AnalysisTask, Pipeline } from '@seqpanel/crds/kinds.ts';
import { TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import type { ConfigMap } from '@seqpanel/crds/kube/core-types.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { TaskSpec } from '@seqpanel/crds/step-contract.ts';
import { OURS } from '../jobs/labels.ts';
import { ownerOf } from './job.ts';
import { specName } from './names.ts';

export const PIPELINE_KEY = 'pipeline.json';

export function buildSpecFile(task: Stored<AnalysisTask>, pipeline: Pipeline): ConfigMap {
  const { name, namespace, uid } = task.metadata;
  const samples = task.spec.samples.map((sample) => ({ name: sample.name }));
  const content: TaskSpec = { schema_version: 2, task: name, uid, spec: { ...task.spec, samples } };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: specName(name),
      ...(namespace !== undefined && { namespace }),
      labels: { [TASK_LABEL]: name, ...OURS },
      ownerReferences: [ownerOf(task)],
    },
    immutable: true,
    data: { 'task.json': JSON.stringify(content), [PIPELINE_KEY]: JSON.stringify({ spec: pipeline.spec }) },
  };
}
