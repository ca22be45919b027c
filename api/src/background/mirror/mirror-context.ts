/** Context shared by all kinds that the mirror follows. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { QueuedReflectors } from './queued-reflectors.ts';

export interface MirrorOptions {
  db: Knex;
  kube: Pick<KubeClient, 'list' | 'watch' | 'get'>;
  storageDir: string;
  log: Logger;
  now: () => Date;
  /** Called when the row of a task changed. */
  onTask: () => void;
}

export interface MirrorContext extends MirrorOptions {
  reflectors: QueuedReflectors;
  /** Aborted when the mirror ends. */
  signal: AbortSignal;
}

/** Reads the current resource. Returns undefined when it was deleted. */
export const readResource = <T extends KubeObject>(
  { kube, signal }: Pick<MirrorContext, 'kube' | 'signal'>,
  resource: Resource<T>,
  name: string,
): Promise<Stored<T> | undefined> => ignoreGone(kube.get(resource, name, { signal }));

export function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  const { managedFields: _, ...metadata } = object.metadata as Stored<T>['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}
