/**
 * Checks objects of our kinds against their schemas before they are sent, with the classes that crd-generate makes from
 * crds/yaml on @kubernetes-models/base. The API server checks the same and the CEL rules besides.
 */

import type { Model } from '@kubernetes-models/base';
import { GROUP } from '../kinds.ts';
import { Invalid } from './errors.ts';
import type { KubeObject, Resource } from './objects.ts';

type ModelClass = new (data: never) => Model<unknown>;

/** Each is loaded at the first object of its kind: the operator creates Pipelines alone. */
const MODELS: Record<string, () => Promise<ModelClass>> = {
  AnalysisTask: async () => (await import('../generated/seqpanel.dev/v1alpha1/AnalysisTask.ts')).AnalysisTask,
  Genome: async () => (await import('../generated/seqpanel.dev/v1alpha1/Genome.ts')).Genome,
  PanelType: async () => (await import('../generated/seqpanel.dev/v1alpha1/PanelType.ts')).PanelType,
  Pipeline: async () => (await import('../generated/seqpanel.dev/v1alpha1/Pipeline.ts')).Pipeline,
  WorkerPool: async () => (await import('../generated/seqpanel.dev/v1alpha1/WorkerPool.ts')).WorkerPool,
};

/** More are not named: a task has up to 384 samples, and the message is shown to a person. */
const MOST_CAUSES = 5;

/**
 * Throws Invalid, as the API server would, when an object of ours breaks its schema; objects of other groups pass. The
 * status is left out, because the server ignores it in these writes, and so is the metadata that the server sets.
 */
export async function checkShape(resource: Resource<KubeObject>, object: KubeObject): Promise<void> {
  const load = resource.group === GROUP ? MODELS[resource.kind] : undefined;
  if (!load) return;
  const { name, labels, annotations } = object.metadata ?? {};
  const { spec } = object as { spec?: unknown };
  const model = new (await load())({ metadata: { name, labels, annotations }, spec } as never);
  try {
    model.validate();
  } catch (error) {
    const causes = causesOf(error);
    const named = causes.slice(0, MOST_CAUSES).map(({ field, message }) => `${field}: ${message}`);
    const more = causes.length > MOST_CAUSES ? [`${causes.length - MOST_CAUSES} more`] : [];
    throw new Invalid(422, {
      kind: 'Status',
      reason: 'Invalid',
      message: `${resource.kind} "${name ?? ''}" is invalid: ${[...named, ...more].join('; ')}`,
      details: { kind: resource.kind, ...(name && { name }), causes },
    });
  }
}

function causesOf(error: unknown): { field: string; message: string }[] {
  const { errors } = error as { errors?: { instancePath: string; message?: string }[] };
  if (!errors) throw error;
  return errors.map(({ instancePath, message = '' }) => ({ field: fieldOf(instancePath), message }));
}

/** `/spec/samples/3/name` as `spec.samples[3].name`. */
const fieldOf = (path: string): string =>
  path
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
