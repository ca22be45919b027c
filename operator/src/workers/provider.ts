/** What makes a pool's nodes and takes them away, behind five verbs. */

import type { Machine } from './facts.ts';

export interface Target {
  /** How many nodes it is asked for. */
  replicas: number;
  /** resourceVersion of what was read; a change since then makes `resize` a Conflict. */
  version: string;
  /** Absent where the target does not tell of its machines. */
  machines?: Machine[];
  /** False while it exchanges its machines for new ones: which goes next cannot be chosen then. */
  settled: boolean;
}

export interface WorkerProvider {
  /** Reads the target; undefined when it is not there or cannot be scaled. */
  look(signal: AbortSignal): Promise<Target | undefined>;
  /**
   * Asks the target for that many nodes. Idempotent: the same number again changes nothing. Throws Conflict when the
   * target was changed since `target` was read, so that two who read the same never both act on it.
   */
  resize(target: Target, replicas: number, signal: AbortSignal): Promise<void>;
  /** Only where it can be said which node goes next. */
  choice?: MachineChoice;
}

export interface MachineChoice {
  /** The machine goes before the others when the number is lowered. Idempotent; a machine that is gone is done. */
  mark(machine: string, at: string, signal: AbortSignal): Promise<void>;
  /** Takes a mark back. Idempotent; a machine that is gone is done. */
  unmark(machine: string, signal: AbortSignal): Promise<void>;
  /** Takes a machine away; the target, whose number stays, makes another. Idempotent; gone is done. */
  replace(machine: string, signal: AbortSignal): Promise<void>;
}
