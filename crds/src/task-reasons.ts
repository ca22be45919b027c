/** Why a task or step failed or waits: the codes that the operator writes, and the first of them that concerns users. */

import type { AnalysisTaskStatus } from './kinds.ts';
import { REASON } from './task-conditions.ts';
import { stepsOf } from './task-steps.ts';

/** Reasons of the kubelet why a container cannot start. */
export const CONTAINER_REASONS = [
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
] as const;

/** Reasons why an open Job has no running pod. */
export const WAITING_REASONS = [
  ...CONTAINER_REASONS,
  'Unschedulable',
  'SchedulingGated',
  'NotStarted',
  'Suspended',
  'NoPods',
] as const;

/** Reasons of a step: why the attempt before this one ended, or how the step ended. */
export const STEP_REASONS = [
  'JobLost',
  'OOMKilled',
  'Killed',
  'Disrupted',
  'SamplesFailed',
  REASON.stepFailed,
  REASON.noSampleLeft,
] as const;
export type StepReason = (typeof STEP_REASONS)[number];

/** Codes of failures that the operator finds. Other codes come from the step programs. */
export const FAILURE_CODES = [
  'step_failed',
  'step_timeout',
  'out_of_memory',
  'too_many_attempts',
  'disrupted_too_often',
  'image_not_allowed',
] as const;

/** Why a task failed or waits. */
export interface TaskReason {
  /** Code of a failure, reason of a condition or code of the message catalogue. */
  code: string;
  step: string | null;
  sample: string | null;
  message: string;
}

/** Returns the first failure with its sample and step, or else the condition that holds the task up. */
export function taskReason(status: AnalysisTaskStatus): TaskReason | undefined {
  if (status.phase === 'Failed') {
    const stopped = stepsOf(status).find(({ step }) => step.state === 'Failed')?.step;
    const failure = status.failures?.find(({ step }) => step === stopped?.name) ?? status.failures?.[0];
    if (failure) {
      const { code = '', step = null, sample = null } = failure;
      return { code, step, sample, message: failure.message ?? code };
    }
    if (stopped) {
      const code = stopped.reason ?? '';
      return { code, step: stopped.name, sample: null, message: stopped.message || code || 'failed' };
    }
  }
  const condition = status.conditions?.find(({ type, status: held }) => type === 'Progressing' && held === 'False');
  if (!condition || status.phase === 'Completed' || status.phase === 'Aborted') return undefined;
  const { reason, message } = condition;
  return { code: reason, step: null, sample: null, message: message || reason };
}

/** Returns the English line: `align, sample S1: the step exceeded its time limit`. */
export function reasonLine({ step, sample, message }: TaskReason): string {
  const where = [step, sample && `sample ${sample}`].filter(Boolean).join(', ');
  return where ? `${where}: ${message}` : message;
}
