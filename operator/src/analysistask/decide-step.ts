/** Decides the next actions for the open step of a task. */

import type { StepReason } from '@seqpanel/crds/task-reasons.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { disruptedIndexes } from './disruptions.ts';
import { endStepOfSamples, endStepOfTask, failStep } from './end-step.ts';
import type { Decision } from './input.ts';
import { finishedSamples, isPerSample, type OpenStep, sampleNames, unfinishedSamples } from './open-step.ts';
import { completedSamples, type FailedSample, sampleOutcome, samplesOf, taskOutcome } from './outcome.ts';
import { recordDone, recordFailedSamples } from './record-failures.ts';
import { doubledMemory, largestMemory, mayRetryKill } from './retry-limits.ts';
import { startStep } from './start-step.ts';
import { imageProblem, pinImage } from './step-image.ts';
import { watchJob } from './watch-job.ts';

/** Returns undefined when the step has ended and the next one is due. */
export function decideStep(open: OpenStep): Decision | undefined {
  const { input, status, step, definition } = open;
  const { state, job: name } = step;
  if (state === 'Pending') return start(open, 1);
  const job = input.jobs.find((candidate) => candidate.name === name);
  if (!job) return retry(open, 'JobLost', `Job ${name} was deleted`);
  const pods = input.pods.filter((pod) => pod.job === job.name);
  pinImage(status, definition.image, pods, input.settings.job);
  if (job.end) return isPerSample(open) ? endOfSamples(open, job, pods) : endOfTask(open, job, pods);
  if (isPerSample(open)) recordDone(step, new Set([...finishedSamples(open), ...completedSamples(job)]));
  // A Job that is being deleted creates no pods, and a finalizer may keep it indefinitely.
  if (job.deleting) return retry(open, 'JobLost', `Job ${name} is being deleted`);
  const disrupted = disruptedIndexes(job, pods, input.settings.maxDisruptions);
  return disrupted.length > 0 ? failDisrupted(open, job, disrupted) : watchJob(open, job, pods);
}

function start(open: OpenStep, attempt: number, memory?: number): Decision | undefined {
  const { input, status, definition } = open;
  const samples = isPerSample(open) ? unfinishedSamples(open) : undefined;
  if (samples?.length === 0) return endStepOfSamples(open);
  const problem = imageProblem(input.task, status, definition.image, input.settings.job);
  if (problem !== undefined) return failStep(open, { code: 'image_not_allowed', message: problem.slice(0, 256) });
  return { before: startStep(open, { attempt, samples, memory }), status, after: [] };
}

/** Starts another attempt with the unfinished samples. */
function retry(open: OpenStep, reason: StepReason, message: string, memory?: number): Decision | undefined {
  const { input, step } = open;
  const attempt = (step.attempt ?? 1) + 1;
  if (attempt > input.settings.maxAttempts)
    return failStep(open, { code: 'too_many_attempts', message: `${message}; no attempts left after ${attempt - 1}` });
  step.reason = reason;
  step.message = message;
  return start(open, attempt, memory ?? largestMemory(open));
}

function endOfSamples(open: OpenStep, job: JobFacts, pods: PodFacts[]): Decision | undefined {
  const { status, step } = open;
  const names = sampleNames(open);
  const { done, failed, starved, killed } = sampleOutcome(job, pods, names);
  recordDone(step, new Set([...finishedSamples(open), ...done]));
  recordFailedSamples(status, step, failed, names);
  if (starved.length > 0) {
    const more = doubledMemory(open, job);
    if (more) return retry(open, 'OOMKilled', `${starved.length} samples ran out of ${job.memory} of memory`, more);
    const cause = { code: 'out_of_memory', message: `the step ran out of ${job.memory} of memory` };
    const forGood = starved.map<FailedSample>((sample) => ({ ...sample, ...cause }));
    recordFailedSamples(status, step, forGood, names);
  }
  if (killed.length > 0) {
    if (mayRetryKill(open, job)) return retry(open, 'Killed', `the pods of ${killed.length} samples were killed`);
    recordFailedSamples(status, step, killed, names);
  }
  return endStepOfSamples(open);
}

function endOfTask(open: OpenStep, job: JobFacts, pods: PodFacts[]): Decision | undefined {
  const { result, cause } = taskOutcome(job, pods);
  if (result === 'starved') {
    const more = doubledMemory(open, job);
    if (more) return retry(open, 'OOMKilled', `the step ran out of ${job.memory} of memory`, more);
  }
  if (result === 'killed' && mayRetryKill(open, job)) return retry(open, 'Killed', 'the pod of the step was killed');
  if (result !== 'done' && result !== 'skipped') return failStep(open, cause);
  endStepOfTask(open, result === 'skipped' ? 'Skipped' : 'Succeeded', cause.message);
  return undefined;
}

/** Fails the samples, or the task-scoped step, whose pods were disrupted too often. */
function failDisrupted(open: OpenStep, job: JobFacts, disrupted: number[]): Decision | undefined {
  const { maxDisruptions } = open.input.settings;
  const cause = { code: 'disrupted_too_often', message: `its pod was disrupted more than ${maxDisruptions} times` };
  if (!isPerSample(open)) return failStep(open, cause);
  const failed = disrupted.flatMap((index) => samplesOf(job, index)).map((sample) => ({ sample, ...cause }));
  recordFailedSamples(open.status, open.step, failed, sampleNames(open));
  return retry(open, 'Disrupted', `${failed.length} samples were disrupted too often`);
}
