/**
 * Writes of this process that its caches may not show yet. A round that missed a pending removal would assign work to the
 * node, and one that missed since when a node is idle would restart its idle time.
 */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { WorkerNode } from './facts.ts';

export class OwnWrites {
  readonly #pools = new Map<string, { over: string; stored: Stored<WorkerPool> }>();
  readonly #removing = new Map<string, string>();

  /** Records `stored`, the API server's response to a write over `before`. */
  wrotePool(key: string, before: Stored<WorkerPool>, stored: Stored<WorkerPool>): void {
    this.#pools.set(key, { over: before.metadata.resourceVersion, stored });
  }

  /** Returns the pool as written while the cache still holds the version before. */
  pool(key: string, cached: Stored<WorkerPool>): Stored<WorkerPool> {
    const own = this.#pools.get(key);
    if (own?.over === cached.metadata.resourceVersion) return own.stored;
    this.#pools.delete(key);
    return cached;
  }

  removes(node: string, at: string): void {
    this.#removing.set(node, at);
  }

  /** Returns the nodes with marks that the cache does not show yet. */
  nodes(cached: readonly WorkerNode[]): WorkerNode[] {
    const names = new Set(cached.map(({ name }) => name));
    for (const name of [...this.#removing.keys()]) if (!names.has(name)) this.#removing.delete(name);
    return cached.map((node) => {
      const removingAt = this.#removing.get(node.name);
      if (removingAt === undefined) return node;
      if (node.removingAt === undefined) return { ...node, removingAt };
      this.#removing.delete(node.name);
      return node;
    });
  }
}
