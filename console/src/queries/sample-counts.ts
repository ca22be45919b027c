import type { TaskRow } from './tasks.ts';

/** How many samples of a task are where; all but `passed` add up to `total`. */
export interface SampleCounts {
  total: number;
  done: number;
  running: number;
  failed: number;
  waiting: number;
  /** Pass QC, with or without a warning; a failed sample never does. */
  passed: number;
  /** Done without a verdict: QC has not judged them yet, or no limit applies, as for an NTC of a panel without one. */
  unassessed: number;
}

/** Counts a task's samples: the one source for the list, the head, the summary and the QC tab. */
export function sampleCounts({ samples, qc }: Pick<TaskRow, 'samples' | 'qc'>): SampleCounts {
  const { total, done, running, failed } = samples;
  const waiting = Math.max(0, total - done - running - failed);
  const passed = qc.pass + qc.warn;
  const unassessed = Math.max(0, done - passed - qc.fail);
  return { total, done, running, failed, waiting, passed, unassessed };
}

/** Whether a task completed without some of its samples. */
export const isPartlyFailed = ({ status, samples }: Pick<TaskRow, 'status' | 'samples'>): boolean =>
  status === 'completed' && samples.failed > 0;
