/** A Kubernetes client that writes only while it may. */

import type { KubeAccess } from '@seqpanel/crds/kube/access.ts';
import {
  type CallOptions,
  type DeleteOptions,
  KubeClient,
  type KubeClientOptions,
  type PatchOptions,
} from '@seqpanel/crds/kube/client.ts';
import type { KubeObject, Resource } from '@seqpanel/crds/kube/objects.ts';

/** A write was rejected locally because this process is not the leader. */
export class NotLeader extends Error {
  override readonly name = 'NotLeader';
}

/**
 * Checks leadership before each write, in the same turn of the event loop. So a leader that was paused for longer than
 * its Lease notices before its first write, not by a timer that may fire later than the pending work.
 */
export class FencedClient extends KubeClient {
  readonly #mayWrite: () => boolean;
  /** Called for each write that is sent. */
  readonly #onWrite: (verb: string, resource: string) => void;

  constructor(
    access: KubeAccess,
    options: KubeClientOptions & { mayWrite: () => boolean; onWrite: (verb: string, resource: string) => void },
  ) {
    super(access, {
      ...options,
      // Checks again, because renewing credentials may have taken seconds.
      beforeSend: (method) => {
        if (method !== 'GET' && !options.mayWrite()) throw new NotLeader(`${method}: this process is not the leader`);
      },
    });
    this.#mayWrite = options.mayWrite;
    this.#onWrite = options.onWrite;
  }

  override async create<T extends KubeObject>(resource: Resource<T>, object: T, options: CallOptions) {
    this.#pass('create', resource);
    return super.create(resource, object, options);
  }

  override async update<T extends KubeObject>(resource: Resource<T>, object: T, options: PatchOptions) {
    this.#pass('update', resource, options.subresource);
    return super.update(resource, object, options);
  }

  override async patch<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    patch: object,
    options: PatchOptions,
  ) {
    this.#pass('patch', resource, options.subresource);
    return super.patch(resource, name, patch, options);
  }

  override async delete<T extends KubeObject>(resource: Resource<T>, name: string, options: DeleteOptions) {
    this.#pass('delete', resource);
    return super.delete(resource, name, options);
  }

  #pass(verb: string, { plural }: Resource<KubeObject>, subresource?: PatchOptions['subresource']): void {
    if (!this.#mayWrite()) throw new NotLeader(`${verb} of ${plural}: this process is not the leader`);
    this.#onWrite(verb, subresource ? `${plural}/${subresource}` : plural);
  }
}
