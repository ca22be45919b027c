/**
 * The contract between the operator, which starts a step, and the step program.
 *
 *   seqpanel-step <step> --spec FILE --task DIR
 *
 * FILE is task.json (see TaskSpec). DIR is the task's folder relative to `$SEQPANEL_STORAGE`.
 */

import type { AnalysisTaskSpec } from './kinds.ts';

export const STAGES = ['secondary', 'annotation', 'post-filter', 'qc', 'report'] as const;
export type StageName = (typeof STAGES)[number];

/** Environment variables of a step's container. */
export const STEP_ENV = {
  /** Absolute path of the storage root, set by the image or the local job runner. */
  storage: 'SEQPANEL_STORAGE',
  /** Ranges of indexes into spec.samples for this Job, such as `0-3,5,7-383`. Sample-scoped steps only. */
  samples: 'SEQPANEL_SAMPLES',
  /** Number of samples of that list per completion index. Default: 1. */
  samplesPerPod: 'SEQPANEL_SAMPLES_PER_POD',
  /** Completion index, set by the Job controller. */
  completionIndex: 'JOB_COMPLETION_INDEX',
  /** Ranges of indexes of the samples that failed before this step. Absent when there are none. */
  failedSamples: 'SEQPANEL_FAILED_SAMPLES',
  attempt: 'SEQPANEL_ATTEMPT',
  podUid: 'SEQPANEL_POD_UID',
  /** Whole processors that the step may use, from its requests. */
  cpus: 'SEQPANEL_CPUS',
  /** MiB of memory that the step may use, from its requests. */
  memoryMiB: 'SEQPANEL_MEMORY_MIB',
} as const;

/** Path of the termination message. The local runner sets the variable, Kubernetes reads the default path. */
export const TERMINATION_LOG_ENV = 'SEQPANEL_TERMINATION_LOG';
export const TERMINATION_LOG_DEFAULT = '/dev/termination-log';
export const TERMINATION_MESSAGE_MAX_BYTES = 4096;

export const EXIT_DONE = 0;
/** Bad input. The termination message has file, line and reason. Never retried. */
export const EXIT_BAD_INPUT = 2;
/** 128 + SIGABRT: Node.js exits so when its heap is full. */
export const EXIT_ABORTED = 134;
/** 128 + SIGKILL: sent by the kernel when memory is exhausted. */
export const EXIT_KILLED = 137;

/** The whole of task.json. */
export interface TaskSpec {
  task: string;
  uid: string;
  spec: AnalysisTaskSpec;
}

/** The termination message of a step, JSON of at most 4 KiB. */
export interface TerminationMessage {
  outcome: 'done' | 'skipped' | 'bad_input' | 'error';
  /** Stable code in snake case. A key of the message catalogue where users see the text. */
  code?: string;
  /** File, line or field, and the problem. At most 256 characters. */
  message?: string;
  /** With samplesPerPod > 1: samples that failed on bad input while the pod continued. */
  failed?: { sample: string; code: string; message: string }[];
}

/** result.json in the step's output folder. */
export interface StepResult {
  schema_version: 1;
  step: string;
  sample?: string;
  fingerprint: string;
  /** True when a finished result with the same fingerprint was reused. */
  reused: boolean;
  outputs: { path: string; sha256: string; size: number; type: string }[];
  metrics: Record<string, number | string | null>;
  tools: { name: string; version: string; command?: string }[];
  warnings: { code: string; message: string }[];
  started: string;
  finished: string;
}

/** frozen.json: the files that the api froze for a task. spec.frozen is the SHA-256 of this file. */
export interface FrozenManifest {
  schema_version: 1;
  files: { name: string; sha256: string; size: number }[];
}

/** Formats [0,1,2,3,5] as `0-3,5`, in ascending order. */
export function formatRanges(indexes: readonly number[]): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === sorted[j]! + 1) j++;
    parts.push(j === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[j]}`);
    i = j + 1;
  }
  return parts.join(',');
}

/** Parses a list of ascending ranges. Throws an Error for anything else. */
export function parseRanges(text: string): number[] {
  if (text === '') return [];
  const out: number[] = [];
  for (const part of text.split(',')) {
    const m = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!m) throw new Error(`"${text}" is not a list of ranges: "${part}"`);
    const from = Number(m[1]);
    const to = m[2] === undefined ? from : Number(m[2]);
    if (to < from) throw new Error(`"${text}" is not a list of ranges: "${part}" runs backwards`);
    for (let i = from; i <= to; i++) out.push(i);
  }
  return out;
}
