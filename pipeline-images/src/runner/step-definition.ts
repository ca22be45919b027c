/** The interfaces between the runner and the steps. Each step module exports one of them; `src/step-modules.ts` lists the steps. */

import type { StepResult, TaskSpec } from '@seqpanel/crds/step-contract.ts';
import type { Tools } from '../tools/tools.ts';
import type { Frozen, SampleRow } from './frozen.ts';
import type { Log } from './log.ts';

/** The output folder of a finished earlier step. `path` returns the absolute path of one of its files. */
export interface Upstream {
  dir: string;
  result: StepResult;
  path(file: string): string;
  /** SHA-256 of an output file. Throws when the step did not write it. */
  sha256(file: string): string;
}

/** The context of a step. Paths are absolute unless noted. */
export interface TaskContext {
  step: string;
  storage: string;
  /** The task's folder relative to the storage root: `tasks/<id>`. */
  taskPath: string;
  task: TaskSpec;
  frozen: Frozen;
  /** The samples that have not failed, in the order of samples.tsv. */
  samples: readonly SampleRow[];
  cpus: number;
  memoryMiB: number;
  /** Folder for the step's outputs, and the working directory of its tools. */
  out: string;
  /** Temporary folder, deleted when the step ends. */
  tmp: string;
  tools: Tools;
  log: Log;
  /** Aborts at SIGTERM and stops the tools. */
  signal: AbortSignal;
  /** Returns the output folder of an earlier step. Waits up to 60 s for its result.json to become visible. */
  upstream(step: string, sample?: string): Promise<Upstream>;
}

/** State shared by the samples of one pod (samplesPerPod). */
export interface Pod {
  /** Number of samples, processed one after the other. */
  samples: number;
  /** Registers a function to call when the pod ends, successfully or not. */
  atEnd(close: () => Promise<void>): void;
}

export interface SampleContext extends TaskContext {
  sample: SampleRow;
  pod: Pod;
}

export interface StepOutcome {
  metrics?: StepResult['metrics'];
  warnings?: StepResult['warnings'];
  /** Types of output files, by path, where the file extension does not tell. */
  types?: Record<string, string>;
  /** Set when there was nothing to do. The tables are still written, without rows. */
  skipped?: { code: string; message: string };
}

interface Definition<C> {
  name: string;
  /** Part of the fingerprint. Increase it when the same inputs would produce different bytes. */
  revision: number;
  /** Programs whose versions affect the outputs. */
  tools: readonly string[];
  /** Everything else that affects the outputs (parameters, content hashes), as plain JSON. */
  inputs(context: C): Promise<Record<string, unknown>>;
  run(context: C): Promise<StepOutcome>;
}

export interface SampleStep extends Definition<SampleContext> {
  scope: 'sample';
}

export interface TaskStep extends Definition<TaskContext> {
  scope: 'task';
}

/** A Job that checks a resource instead of processing a task: check-panel, install-genome. */
export interface CheckContext {
  step: string;
  storage: string;
  /** The parsed spec file of the resource: {name, spec, …}. */
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
  /** The returned fields are added to the termination message. Throws BadInput for errors that the user must fix. */
  run(context: CheckContext): Promise<Record<string, unknown>>;
}

export type AnyStep = SampleStep | TaskStep | CheckStep;
