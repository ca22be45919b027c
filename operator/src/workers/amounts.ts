/** Resources that pods request and nodes have: millicores, bytes of memory, bytes of storage, number of pods. */

import type { PodSpec } from '@seqpanel/crds/kube/core-types.ts';
import { parseQuantity } from '../kube/quantity.ts';

export interface Amounts {
  cpu: number;
  memory: number;
  'ephemeral-storage': number;
  pods: number;
}

/** As in status.nodeOffer. */
export type Quantities = Partial<Record<keyof Amounts, string>>;

const KINDS = ['cpu', 'memory', 'ephemeral-storage', 'pods'] as const;

export const NOTHING: Amounts = { cpu: 0, memory: 0, 'ephemeral-storage': 0, pods: 0 };

const combine = (a: Amounts, b: Amounts, by: (a: number, b: number) => number): Amounts => ({
  cpu: by(a.cpu, b.cpu),
  memory: by(a.memory, b.memory),
  'ephemeral-storage': by(a['ephemeral-storage'], b['ephemeral-storage']),
  pods: by(a.pods, b.pods),
});

export const plus = (a: Amounts, b: Amounts): Amounts => combine(a, b, (x, y) => x + y);
export const minus = (a: Amounts, b: Amounts): Amounts => combine(a, b, (x, y) => x - y);
export const least = (a: Amounts, b: Amounts): Amounts => combine(a, b, Math.min);
export const fits = (asked: Amounts, free: Amounts): boolean => KINDS.every((kind) => asked[kind] <= free[kind]);

/** `round` selects the rounding of fractions: up for requests, down for capacity. */
function read(quantities: Quantities, round: (value: number) => number): Amounts {
  const amounts = { ...NOTHING };
  for (const kind of KINDS) {
    const value = parseQuantity(quantities[kind] ?? '0') ?? 0;
    amounts[kind] = round(kind === 'cpu' ? Number((value * 1000).toFixed(6)) : value);
  }
  return amounts;
}

export const allocatableOf = (quantities: Quantities): Amounts => read(quantities, Math.floor);

/** What the scheduler reserves for a pod: the larger of its containers and an init container, plus its overhead. */
export function requestsOf(spec: PodSpec | undefined): Amounts {
  const of = (requests: Quantities | undefined) => read(requests ?? {}, Math.ceil);
  const running = (spec?.containers ?? []).reduce((sum, { resources }) => plus(sum, of(resources?.requests)), NOTHING);
  const starting = (spec?.initContainers ?? []).map(({ resources }) => of(resources?.requests));
  const most = starting.reduce((a, b) => combine(a, b, Math.max), running);
  return { ...plus(most, of(spec?.overhead)), pods: 1 };
}

export const quantitiesOf = (amounts: Amounts): Quantities => ({
  cpu: `${amounts.cpu}m`,
  memory: `${Math.floor(amounts.memory / 2 ** 20)}Mi`,
  'ephemeral-storage': `${Math.floor(amounts['ephemeral-storage'] / 2 ** 20)}Mi`,
  pods: `${amounts.pods}`,
});

/** Human-readable: `8 cores, 32 GiB of memory`. */
export const describeAmounts = ({ cpu, memory }: Amounts): string =>
  `${Number((cpu / 1000).toFixed(2))} cores, ${Number((memory / 2 ** 30).toFixed(1))} GiB of memory`;
