/**
 * Provider for a MachineDeployment of Cluster API. Its Machines show the state of each node, and the annotation
 * delete-machine selects which of them is removed first on scale-in:
 * https://cluster-api.sigs.k8s.io/tasks/automated-machine-management/scaling
 */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Machine } from './facts.ts';
import { plainScale, type TargetName } from './plain-scale.ts';
import type { WorkerProvider } from './provider.ts';

const CLUSTER_API_GROUP = 'cluster.x-k8s.io';

type TargetRef = WorkerPool['spec']['scaleTargetRef'];

/** The API group of a target, without its version; empty for the core's. */
export const groupOf = ({ apiVersion }: TargetRef): string => apiVersion.match(/^(.*)\//)?.[1] ?? '';

/** Reports whether the target lists its machines. */
export const isClusterApi = (target: TargetRef): boolean =>
  groupOf(target) === CLUSTER_API_GROUP && target.kind === 'MachineDeployment';

const DELETE_MACHINE = 'cluster.x-k8s.io/delete-machine';
/** Cluster API sets both labels on every Machine of a MachineDeployment. */
const DEPLOYMENT_LABEL = 'cluster.x-k8s.io/deployment-name';
const SET_LABEL = 'cluster.x-k8s.io/set-name';

/** The used part of a Machine of cluster.x-k8s.io, v1beta1 and v1beta2. */
export interface ClusterApiMachine extends KubeObject {
  spec?: { providerID?: string };
  status?: { nodeRef?: { name?: string }; phase?: string; addresses?: { type: string; address: string }[] };
}

export function clusterApi(client: KubeClient, target: TargetName): WorkerProvider {
  const { namespace } = target;
  const machines: Resource<ClusterApiMachine> = {
    group: target.resource.group,
    version: target.resource.version,
    plural: 'machines',
    kind: 'Machine',
    namespaced: true,
  };
  const scale = plainScale(client, target);
  const annotate = async (machine: string, value: string | null, signal: AbortSignal): Promise<void> => {
    const patch = { metadata: { annotations: { [DELETE_MACHINE]: value } } };
    await ignoreGone(client.patch(machines, machine, patch, { signal, namespace }));
  };
  return {
    read: async (signal) => {
      // Reads the number first: a Machine created meanwhile is then one too many, which delays a removal, never too few.
      const found = await scale.read(signal);
      if (!found) return undefined;
      const labelSelector = `${DEPLOYMENT_LABEL}=${target.name}`;
      const { items } = await client.list(machines, { signal, namespace, labelSelector });
      const sets = new Set(items.map(({ metadata }) => metadata.labels?.[SET_LABEL]));
      return { ...found, machines: items.map(machineOf), settled: sets.size <= 1 };
    },
    resize: scale.resize,
    choice: {
      mark: (machine, at, signal) => annotate(machine, at, signal),
      unmark: (machine, signal) => annotate(machine, null, signal),
      replace: async (machine, signal) => {
        await ignoreGone(client.delete(machines, machine, { signal, namespace, propagation: 'Background' }));
      },
    },
  };
}

function machineOf({ metadata, spec, status }: Stored<ClusterApiMachine>): Machine {
  const markedAt = metadata.annotations?.[DELETE_MACHINE];
  const address = status?.addresses?.find(({ type }) => type === 'InternalIP');
  return {
    name: metadata.name,
    ...(status?.nodeRef?.name && { node: status.nodeRef.name }),
    created: metadata.creationTimestamp,
    deleting: metadata.deletionTimestamp !== undefined,
    ...(markedAt !== undefined && { markedAt }),
    ...(status?.phase && { phase: status.phase }),
    ...(spec?.providerID && { providerId: spec.providerID }),
    ...(address && { address: address.address }),
  };
}
