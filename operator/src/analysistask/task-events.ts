/** The events of a status change. Each transition is recorded once, for readers of `kubectl describe`. */

import type { AnalysisTask, AnalysisTaskStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { CONDITION, REASON } from '@seqpanel/crds/task-conditions.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import { findCondition, isTrue } from '../kube/conditions.ts';
import type { EventText } from '../kube/events.ts';
import { isFinished, isStepEnd } from './task-state.ts';

/** Failed samples that get their own event; the status lists more. */
const SAMPLE_EVENTS_MAX = 5;

export function eventsFor(
  task: AnalysisTask,
  old: AnalysisTaskStatus | undefined,
  next: AnalysisTaskStatus,
): EventText[] {
  return [
    ...started(task, old, next),
    ...steps(old, next),
    ...samples(old, next),
    ...stuck(old, next),
    ...overdue(old, next),
    ...end(old, next),
  ];
}

function started(task: AnalysisTask, old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus): EventText[] {
  if (old?.started || !next.started) return [];
  const { samples: list, pipeline } = task.spec;
  const message = `${list.length} ${list.length === 1 ? 'sample' : 'samples'} on Pipeline ${pipeline.name}`;
  return [{ type: 'Normal', reason: 'Started', message }];
}

function steps(old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus): EventText[] {
  const before = new Map(stepsOf(old ?? {}).map(({ step }) => [step.name, step]));
  return stepsOf(next).flatMap<EventText>(({ step }) => {
    const was = before.get(step.name);
    const ended = isStepEnd(step.state) && step.state !== was?.state;
    if (ended && (step.state === 'Succeeded' || step.state === 'Skipped'))
      return [{ type: 'Normal', reason: `Step${step.state}`, message: `${step.name}: ${result(step)}` }];
    if (ended && step.state === 'Failed')
      return [{ type: 'Warning', reason: 'StepFailed', message: `${step.name}: ${step.message ?? step.reason ?? ''}` }];
    if (step.state === 'Running' && was?.attempt !== undefined && (step.attempt ?? 1) > was.attempt)
      return [
        {
          type: 'Warning',
          reason: 'StepRepeated',
          message: `${step.name}: attempt ${step.attempt} as Job ${step.job}: ${step.message ?? ''}`,
        },
      ];
    return [];
  });
}

function result({ started, finished, samples: counts, job, message }: StepStatus): string {
  const took = started && finished ? ` in ${(Date.parse(finished) - Date.parse(started)) / 1000} s` : '';
  const progress = counts ? `${counts.done ?? 0} of ${counts.total ?? 0} samples done` : (message ?? 'done');
  return `${progress}${took}${job ? ` (Job ${job})` : ''}`;
}

function samples(old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus): EventText[] {
  const known = old?.failures?.length ?? 0;
  return (next.failures ?? [])
    .slice(known)
    .filter(({ sample }) => sample !== undefined)
    .slice(0, SAMPLE_EVENTS_MAX)
    .map(({ sample, step, code, message }) => ({
      type: 'Warning',
      reason: 'SampleFailed',
      message: `${sample} failed in ${step}: ${message} (${code})`,
    }));
}

function stuck(old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus): EventText[] {
  if (isFinished(next.phase)) return [];
  const was = findCondition(old?.conditions, CONDITION.progressing);
  const is = findCondition(next.conditions, CONDITION.progressing);
  if (is?.status !== 'False' || (was?.status === 'False' && was.reason === is.reason)) return [];
  // The check of a Pipeline that was applied together with the task follows within a second.
  if (is.reason === REASON.pipelineUnchecked) return [];
  return [{ type: is.reason === REASON.aborting ? 'Normal' : 'Warning', reason: is.reason, message: is.message }];
}

function overdue(old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus): EventText[] {
  const is = findCondition(next.conditions, CONDITION.overdue);
  if (is?.status !== 'True' || isTrue(old?.conditions, CONDITION.overdue)) return [];
  return [{ type: 'Warning', reason: is.reason, message: is.message }];
}

function end(old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus): EventText[] {
  if (!next.phase || !isFinished(next.phase) || old?.phase === next.phase) return [];
  const message = findCondition(next.conditions, CONDITION.progressing)?.message ?? '';
  return [{ type: next.phase === 'Failed' ? 'Warning' : 'Normal', reason: next.phase, message }];
}
