/** Memory of one process about its tasks. */

import type { AnalysisTask, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Action } from '../jobs/act.ts';

/** Per-task state of this process that saves reads and writes. Losing it is safe. */
export interface TaskMemory {
  uid: string;
  /** The last written task, until the cache contains it. */
  written?: Stored<AnalysisTask> | undefined;
  /** Time of that write, ms. */
  writtenAt?: number;
  /** Names of ConfigMaps known to exist; they are immutable. */
  specFiles: Set<string>;
  specDeleted?: boolean;
  /** uids of Jobs whose time to live is set but may not be in the cache yet. */
  expired: Set<string>;
  /** The Pipeline as of the task's start. */
  pipeline?: Pipeline | undefined;
}

export class TaskMemories {
  readonly #memories = new Map<string, TaskMemory>();

  /** A task that was deleted and created again under the same name gets a new memory. */
  of(key: string, { metadata }: Stored<AnalysisTask>): TaskMemory {
    const known = this.#memories.get(key);
    if (known?.uid === metadata.uid) return known;
    const fresh = { uid: metadata.uid, specFiles: new Set<string>(), expired: new Set<string>() };
    this.#memories.set(key, fresh);
    return fresh;
  }

  delete(key: string): void {
    this.#memories.delete(key);
  }
}

/** Returns the name of the spec file that the action creates, unless it is known to exist. */
export const specFileOf = (action: Action, { specFiles }: TaskMemory): string | undefined => {
  const name = action.do === 'createConfigMap' ? action.object.metadata?.name : undefined;
  return name !== undefined && !specFiles.has(name) ? name : undefined;
};

/** Returns the cached task, or the last written one while the cache is older. */
export function latest(cached: Stored<AnalysisTask>, memory: TaskMemory): Stored<AnalysisTask> {
  const { written } = memory;
  if (written && (written.status?.revision ?? 0) > (cached.status?.revision ?? 0)) return written;
  memory.written = undefined;
  return cached;
}
