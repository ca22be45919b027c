/**
 * Validates objects of our kinds before they are sent, with classes that crd-generate makes from crds/yaml on
 * @kubernetes-models/base. The API server checks the same schemas and also the CEL rules.
 */

import type { Model } from '@kubernetes-models/base';
import { GROUP } from '../kinds.ts';
import { Invalid } from './errors.ts';
import type { KubeObject, Resource } from './objects.ts';

type ModelClass = new (data: never) => Model<unknown>;

/** Each class is loaded on first use, because the operator only creates Pipelines. */
const MODELS: Record<string, () => Promise<ModelClass>> = {
  AnalysisTask: async () => (await import('../generated/seqpanel.dev/v1alpha1/AnalysisTask.ts')).AnalysisTask,
  Genome: async () => (await import('../generated/seqpanel.dev/v1alpha1/Genome.ts')).Genome,
  PanelType: async () => (await import('../generated/seqpanel.dev/v1alpha1/PanelType.ts')).PanelType,
  Pipeline: async () => (await import('../generated/seqpanel.dev/v1alpha1/Pipeline.ts')).Pipeline,
  WorkerPool: async () => (await import('../generated/seqpanel.dev/v1alpha1/WorkerPool.ts')).WorkerPool,
};

/** Most causes named in a message. A task has up to 384 samples, and a person reads the message. */
const MOST_CAUSES = 5;

/**
 * Throws Invalid, like the API server, when an object of our kinds violates its schema. Objects of other groups pass.
 * Ignores the status and server-set metadata, which the server ignores too.
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

/** Converts `/spec/samples/3/name` to `spec.samples[3].name`. */
const fieldOf = (path: string): string =>
  path
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
