/** The only node: this machine. */

import { arch, availableParallelism, hostname, release, totalmem } from 'node:os';
import { version } from '../http/discovery.ts';
import { type Obj, timestamp } from '../objects/metadata.ts';
import type { Registry } from '../objects/registry.ts';
import { NODE } from '../objects/resources.ts';
import type { Size } from './scheduler.ts';

/** Memory reserved for Postgres and our own processes: 1 GiB, on a small machine a tenth. */
const RESERVED_BYTES = 2 ** 30;

/** Returns processors and memory, respecting the container's limit. */
export function machineSize(): Size {
  const limit = process.constrainedMemory();
  const total = totalmem();
  const memory = limit > 0 && limit < total ? limit : total;
  return { cpu: availableParallelism(), memory: Math.floor(memory - Math.min(RESERVED_BYTES, memory / 10)) };
}

/** Returns the machine's name as a valid object name. */
export const nodeName = (): string =>
  hostname()
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') || 'localhost';

/** Writes the Node object with its current size. */
export function registerNode(registry: Registry, name: string, { cpu, memory }: Size): void {
  const old = registry.find(NODE, '', name);
  const at = timestamp(registry.now());
  const size = { cpu: String(cpu), memory: `${Math.floor(memory / 1024)}Ki`, pods: '500' };
  const known = (old?.['status'] as { conditions?: { lastTransitionTime: string }[] } | undefined)?.conditions?.[0];
  const status = {
    capacity: size,
    allocatable: size,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        lastHeartbeatTime: at,
        lastTransitionTime: known?.lastTransitionTime ?? at,
        reason: 'KubeletReady',
        message: 'the local control plane runs pods as processes',
      },
    ],
    addresses: [{ type: 'Hostname', address: name }],
    nodeInfo: {
      kubeletVersion: version().gitVersion,
      kernelVersion: release(),
      operatingSystem: 'linux',
      architecture: arch() === 'x64' ? 'amd64' : arch(),
      osImage: '',
      containerRuntimeVersion: 'process://1',
      bootID: '',
      machineID: '',
      systemUUID: '',
      kubeProxyVersion: '',
    },
  };
  const node =
    old ??
    registry.create(NODE, '', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    } as Obj);
  registry.put(NODE, node, { ...node, metadata: { ...node.metadata }, status });
}
