/** Periodically settles rows whose resource is gone, because a deletion may happen while no replica watches. */

import type { Logger } from 'pino';
import { createLoop, type Loop } from '../../live/wake.ts';

export const SWEEP_MS = 30_000;

interface Listed {
  synced: Promise<unknown>;
  readonly healthy: boolean;
}

export interface SweptKind {
  reflector: Listed;
  /** True for a kind whose CRD may be missing, so that its first list may never come. */
  isOptional?: boolean;
  /** Settles the rows that are not in the reflector's store. */
  settle: () => Promise<void>;
}

/** Sweeps only kinds with a current list, because an outdated store misses resources that exist. */
export const createVanishedSweep = (log: Logger, kinds: readonly SweptKind[]): Loop =>
  createLoop({
    name: 'search for rows without a resource',
    log,
    pollMs: SWEEP_MS,
    work: async () => {
      for (const { reflector, isOptional, settle } of kinds) {
        if (!isOptional) await reflector.synced;
        if (reflector.healthy) await settle();
      }
      return undefined;
    },
  });

export const namesIn = ({ store }: { store: { list(): readonly { metadata: { name: string } }[] } }): Set<string> =>
  new Set(store.list().map(({ metadata }) => metadata.name));
