import type { TaskRow } from './tasks.ts';

/** Numbers of a task's samples by state. All except `passed` add up to `total`. */
export interface SampleCounts {
  total: number;
  done: number;
  running: number;
  failed: number;
  waiting: number;
  /** Samples that passed QC, with or without a warning. Never includes failed samples. */
  passed: number;
  /** Done without a verdict: QC has not judged them yet, or no limit applies, as for an NTC of a panel without one. */
  unassessed: number;
}

/** Counts a task's samples. Used by the list, the header, the summary and the QC tab. */
export function sampleCounts({ samples, qc }: Pick<TaskRow, 'samples' | 'qc'>): SampleCounts {
  const { total, done, running, failed } = samples;
  const waiting = Math.max(0, total - done - running - failed);
  const passed = qc.pass + qc.warn;
  const unassessed = Math.max(0, done - passed - qc.fail);
  return { total, done, running, failed, waiting, passed, unassessed };
}

/** Reports whether a task completed with failed samples. */
export const isPartlyFailed = ({ status, samples }: Pick<TaskRow, 'status' | 'samples'>): boolean =>
  status === 'completed' && samples.failed > 0;
