/** Types that every Kubernetes object shares, and the resources that SeqPanel uses. */

import type { AnalysisTask, Genome, PanelType, Pipeline, WorkerPool } from '../kinds.ts';
import { GROUP, PLURALS, VERSION } from '../kinds.ts';
import type { ConfigMap, CoreEvent, Job, KubeNode, Lease, ObjectMeta, OwnerReference, Pod } from './core-types.ts';

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** An object returned by the server, with the fields that the server always sets. */
export type Stored<T extends KubeObject> = T & {
  metadata: ObjectMeta & { name: string; uid: string; resourceVersion: string; creationTimestamp: string };
};

export interface KubeList<T extends KubeObject> {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: Stored<T>[];
}

/** The Status body of a rejected request or of an ERROR in a watch. */
export interface StatusBody {
  kind?: 'Status';
  status?: string;
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    name?: string;
    kind?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}

export interface WatchEvent<T extends KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: Stored<T>;
}

/** The API path of a kind. The type parameter carries the object's type through the client's calls. */
export interface Resource<T extends KubeObject> {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
  /** Never set. Lets TypeScript infer T. */
  readonly type?: T;
}

const ours = <T extends KubeObject>(kind: keyof typeof PLURALS): Resource<T> => ({
  group: GROUP,
  version: VERSION,
  plural: PLURALS[kind],
  kind,
  namespaced: true,
});

export const ANALYSIS_TASKS = ours<AnalysisTask>('AnalysisTask');
export const PANEL_TYPES = ours<PanelType>('PanelType');
export const PIPELINES = ours<Pipeline>('Pipeline');
export const GENOMES = ours<Genome>('Genome');
export const WORKER_POOLS = ours<WorkerPool>('WorkerPool');

const builtIn = <T extends KubeObject>(
  group: string,
  kind: string,
  plural: string,
  namespaced = true,
): Resource<T> => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
});

export const JOBS = builtIn<Job>('batch', 'Job', 'jobs');
export const PODS = builtIn<Pod>('', 'Pod', 'pods');
export const CONFIG_MAPS = builtIn<ConfigMap>('', 'ConfigMap', 'configmaps');
export const EVENTS = builtIn<CoreEvent>('', 'Event', 'events');
export const LEASES = builtIn<Lease>('coordination.k8s.io', 'Lease', 'leases');
export const NODES = builtIn<KubeNode>('', 'Node', 'nodes', false);

/** Returns the `apiVersion` of a resource: `v1`, `batch/v1`, `seqpanel.dev/v1alpha1`. */
export const apiVersionOf = (resource: Resource<KubeObject>): string =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;

/** Returns `namespace/name`, or `name` for a cluster-scoped object: the key in stores and queues. */
export const keyOf = (object: KubeObject): string => {
  const { namespace, name } = object.metadata ?? {};
  return namespace ? `${namespace}/${name}` : `${name}`;
};

/** Returns the owner that manages the object, if any. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata?.ownerReferences?.find((owner) => owner.controller);
