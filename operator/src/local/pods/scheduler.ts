/** Selects the waiting pods that may start: cpu and memory requests against the machine's size, oldest first. */

import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import { parseBytes, parseCores } from '../../kube/quantity.ts';
import type { Obj } from '../objects/metadata.ts';

/** CPU in cores, memory in bytes. */
export interface Size {
  cpu: number;
  memory: number;
}

/** Returns the pod's requests, limited to `most` where given. */
export function requestOf(pod: Pod, most?: Size): Size {
  const { cpu, memory } = pod.spec?.containers[0]?.resources?.requests ?? {};
  return {
    cpu: Math.min(parseCores(cpu ?? '') ?? 0, most?.cpu ?? Number.POSITIVE_INFINITY),
    memory: Math.min(parseBytes(memory ?? '') ?? 0, most?.memory ?? Number.POSITIVE_INFINITY),
  };
}

export interface Placement {
  fits: (Obj & Pod)[];
  /** Messages are kube-scheduler's. */
  waits: { pod: Obj & Pod; message: string }[];
}

/**
 * Oldest first; within one second the larger request, then the name. A small pod may overtake a waiting one. With `clamp`
 * a request above the machine's size counts as its size: a single pod always fits.
 */
export function place(waiting: (Obj & Pod)[], used: Size, capacity: Size, clamp: boolean): Placement {
  const size = new Map(waiting.map((pod) => [pod, requestOf(pod, clamp ? capacity : undefined)]));
  const order = [...waiting].sort((a, b) => {
    const [x, y] = [size.get(a)!, size.get(b)!];
    return (
      compare(a.metadata.creationTimestamp!, b.metadata.creationTimestamp!) ||
      y.memory - x.memory ||
      y.cpu - x.cpu ||
      byName.compare(a.metadata.name!, b.metadata.name!)
    );
  });
  const free = { cpu: capacity.cpu - used.cpu, memory: capacity.memory - used.memory };
  const result: Placement = { fits: [], waits: [] };
  for (const pod of order) {
    const { cpu, memory } = size.get(pod)!;
    const lacks = [cpu > free.cpu + 1e-9 && 'Insufficient cpu', memory > free.memory && 'Insufficient memory'].filter(
      Boolean,
    );
    if (lacks.length > 0) {
      result.waits.push({ pod, message: `0/1 nodes are available: 1 ${lacks.join(', 1 ')}.` });
      continue;
    }
    free.cpu -= cpu;
    free.memory -= memory;
    result.fits.push(pod);
  }
  return result;
}

const byName = new Intl.Collator('en', { numeric: true });
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
