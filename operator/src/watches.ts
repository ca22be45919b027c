/** The operator's reflectors: followed together, with each failure counted and logged. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Change, Reflector } from '@seqpanel/crds/kube/reflector.ts';
import { WatchGroup } from '@seqpanel/crds/kube/watch-group.ts';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

export interface WatchOptions<T extends KubeObject, S> {
  labelSelector?: string;
  fieldSelector?: string;
  /** Returns the part of an object that the cache holds; defaults to the whole object. */
  keep?: (object: Stored<T>) => S;
  indexes?: Record<string, (object: S) => string[]>;
}

export interface Watches {
  /** Creates a cache. It fills once `run` is called. */
  watch<T extends KubeObject, S = Stored<T>>(
    resource: Resource<T>,
    onChange: (change: Change<S>) => void,
    options?: WatchOptions<T, S>,
  ): Reflector<T, S>;
  /** True when all caches are filled and follow the API server. */
  healthy(): boolean;
  /** Follows the API server; resolves when the signal fires. */
  run(signal: AbortSignal): Promise<unknown>;
  /** Resolves when all caches are filled. */
  synced(): Promise<unknown>;
}

export function createWatches({
  client,
  log,
  metrics,
}: {
  client: KubeClient;
  log: Logger;
  metrics: Metrics;
}): Watches {
  const reflectors: Reflector<KubeObject, unknown>[] = [];
  const group = new WatchGroup();
  return {
    watch: (resource, onChange, options = {}) => {
      const reflector = group.join({
        client,
        resource,
        onChange,
        onError: (err, waitMs) => {
          metrics.watchErrors.inc({ resource: resource.plural });
          log.warn({ err, waitMs, resource: resource.plural }, 'watch failed, retrying');
        },
        ...options,
      });
      reflectors.push(reflector as unknown as Reflector<KubeObject, unknown>);
      return reflector;
    },
    healthy: () => reflectors.every((reflector) => reflector.healthy),
    run: (signal) => Promise.all(reflectors.map((reflector) => reflector.run(signal))),
    synced: () => Promise.all(reflectors.map((reflector) => reflector.synced)),
  };
}
