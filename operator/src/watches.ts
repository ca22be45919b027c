/** The reflectors of the operator: made in one way, followed together, their failures counted and told. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Change, Reflector } from '@seqpanel/crds/kube/reflector.ts';
import { WatchGroup } from '@seqpanel/crds/kube/watch-group.ts';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

export interface WatchOptions<T extends KubeObject, S> {
  labelSelector?: string;
  fieldSelector?: string;
  /** What the cache holds of an object; all of it without. */
  keep?: (object: Stored<T>) => S;
  indexes?: Record<string, (object: S) => string[]>;
}

export interface Watches {
  /** Makes a cache; it fills once `run` is called. */
  watch<T extends KubeObject, S = Stored<T>>(
    resource: Resource<T>,
    onChange: (change: Change<S>) => void,
    options?: WatchOptions<T, S>,
  ): Reflector<T, S>;
  /** True when all caches are filled and follow the API server. */
  healthy(): boolean;
  /** Follows the API server; resolves when the signal has ended it. */
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
          log.warn({ err, waitMs }, `Watching ${resource.plural} failed; it is repeated`);
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
