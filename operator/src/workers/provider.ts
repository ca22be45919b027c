/** Creates and removes a pool's nodes. */

import type { Machine } from './facts.ts';

export interface Target {
  /** Number of nodes requested. */
  replicas: number;
  /** resourceVersion that was read; `resize` throws Conflict when the target has changed since. */
  version: string;
  /** Absent for a target that does not list its machines. */
  machines?: Machine[];
  /** False while the target replaces machines; the next one to remove cannot be selected then. */
  settled: boolean;
}

export interface WorkerProvider {
  /** Reads the target; returns undefined when it does not exist or cannot be scaled. */
  read(signal: AbortSignal): Promise<Target | undefined>;
  /**
   * Requests this number of nodes. Idempotent. Throws Conflict when the target has changed since it was read, so that of
   * two who read the same version only one acts on it.
   */
  resize(target: Target, replicas: number, signal: AbortSignal): Promise<void>;
  /** Present only where the next node to remove can be selected. */
  choice?: MachineChoice;
}

export interface MachineChoice {
  /** Selects the machine to be removed first on scale-in. Idempotent; a missing machine counts as done. */
  mark(machine: string, at: string, signal: AbortSignal): Promise<void>;
  /** Undoes `mark`. Idempotent; a missing machine counts as done. */
  unmark(machine: string, signal: AbortSignal): Promise<void>;
  /** Deletes a machine; the target's number stays, so it creates another. Idempotent; a missing machine counts as done. */
  replace(machine: string, signal: AbortSignal): Promise<void>;
}
