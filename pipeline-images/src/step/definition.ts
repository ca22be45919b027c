/** What a step is, and what the frame hands it. A step module exports one of these; `src/steps.ts` lists it. */

import type { StepResult, TaskSpec } from '@seqpanel/crds/step-contract.ts';
import type { Tools } from '../tools/tools.ts';
import type { Frozen, SampleRow } from './frozen.ts';
import type { Log } from './log.ts';

/** A finished folder of an earlier step. `path` gives the absolute path of one of its files. */
export interface Upstream {
  dir: string;
  result: StepResult;
  path(file: string): string;
  /** SHA-256 of one of its files; throws when the step did not write it. */
  sha256(file: string): string;
}

/** What every step gets. Paths are absolute unless said. */
export interface TaskContext {
  step: string;
  storage: string;
  /** The task's folder relative to the storage root: `tasks/<id>`. */
  taskPath: string;
  task: TaskSpec;
  frozen: Frozen;
  /** The samples still alive, in the order of samples.tsv. */
  samples: readonly SampleRow[];
  cpus: number;
  memoryMiB: number;
  /** The folder whose contents become the step's output; tools run with it as their working directory. */
  out: string;
  /** Scratch, gone when the step ends. */
  tmp: string;
  tools: Tools;
  log: Log;
  /** Aborted at SIGTERM; the tools are stopped by it. */
  signal: AbortSignal;
  /** The output folder of an earlier step of this task; waits up to 60 s for its result.json to become visible. */
  upstream(step: string, sample?: string): Promise<Upstream>;
}

/** What the samples of one pod have in common (samplesPerPod). */
export interface Pod {
  /** Samples that the pod works on, one after the other. */
  samples: number;
  /** Called when the pod ends, in whichever way. */
  atEnd(close: () => Promise<void>): void;
}

export interface SampleContext extends TaskContext {
  sample: SampleRow;
  pod: Pod;
}

export interface StepOutcome {
  metrics?: StepResult['metrics'];
  warnings?: StepResult['warnings'];
  /** Type of an output file by its path in the folder, where its extension does not say it. */
  types?: Record<string, string>;
  /** Set when there was nothing to do; the folder is there all the same, with empty tables. */
  skipped?: { code: string; message: string };
}

interface Definition<C> {
  name: string;
  /** Raised whenever the same inputs would give other bytes; part of the fingerprint. */
  revision: number;
  /** Programs whose versions the outputs depend on. */
  tools: readonly string[];
  /** Everything else the outputs depend on: parameters this step reads and content hashes, as plain JSON. */
  inputs(context: C): Promise<Record<string, unknown>>;
  run(context: C): Promise<StepOutcome>;
}

export interface SampleStep extends Definition<SampleContext> {
  scope: 'sample';
}

export interface TaskStep extends Definition<TaskContext> {
  scope: 'task';
}

/** A Job that looks at a resource instead of a task: check-panel, install-genome. */
export interface CheckContext {
  step: string;
  storage: string;
  /** The parsed spec file: {name, spec, …} of the resource. */
  spec: unknown;
  cpus: number;
  memoryMiB: number;
  tmp: string;
  tools: Tools;
  log: Log;
  signal: AbortSignal;
}

export interface CheckStep {
  name: string;
  scope: 'check';
  /** What it returns is added to the termination message; throw BadInput for what a person must mend. */
  run(context: CheckContext): Promise<Record<string, unknown>>;
}

export type AnyStep = SampleStep | TaskStep | CheckStep;
