/** Decides the next actions for the open step of a task. */

import type { AnalysisTaskStatus, Pipeline, PipelineStep, StageStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { parseRanges } from '@seqpanel/crds/step-contract.ts';
import type { StepReason } from '@seqpanel/crds/task-reasons.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { findWaiting } from '../jobs/waiting.ts';
import { findCondition, timestamp } from '../kube/conditions.ts';
import { parseBytes } from '../kube/quantity.ts';
import { cleanUp } from './cleanup.ts';
import { disruptedIndexes, lostPods } from './disruptions.ts';
import { finish } from './finish.ts';
import { followGrant } from './follow-grant.ts';
import { findHanging } from './hanging.ts';
import type { Decision, Input } from './input.ts';
import { seconds } from './job.ts';
import { completedSamples, type FailedSample, sampleOutcome, samplesOf, taskOutcome } from './outcome.ts';
import { recordDone, recordFailedSamples, recordFailure } from './record-failures.ts';
import { firstMemory, startStep } from './start-step.ts';
import { imageProblem, pinImage } from './step-image.ts';
import { CONDITION, REASON, setProgressing } from './task-conditions.ts';
import { aliveIndexes } from './task-state.ts';

/** One evaluation of the open step. */
export class StepRound {
  readonly #input: Input;
  readonly #status: AnalysisTaskStatus;
  readonly #stage: StageStatus;
  readonly #step: StepStatus;
  readonly #pipeline: Pipeline;
  readonly #definition: PipelineStep;
  readonly #names: string[];

  constructor(
    input: Input,
    status: AnalysisTaskStatus,
    stage: StageStatus,
    step: StepStatus,
    pipeline: Pipeline,
    definition: PipelineStep,
  ) {
    this.#input = input;
    this.#status = status;
    this.#stage = stage;
    this.#step = step;
    this.#pipeline = pipeline;
    this.#definition = definition;
    this.#names = input.task.spec.samples.map(({ name }) => name);
  }

  /** Returns undefined when the step has ended and the next one is due. */
  decide(): Decision | undefined {
    const { state, job: name } = this.#step;
    if (state === 'Pending') return this.#start(1);
    const job = this.#input.jobs.find((candidate) => candidate.name === name);
    if (!job) return this.#retry('JobLost', `Job ${name} was deleted`);
    const pods = this.#input.pods.filter((pod) => pod.job === job.name);
    pinImage(this.#status, this.#definition.image, pods, this.#input.settings.job);
    if (job.end)
      return this.#definition.scope === 'sample' ? this.#endOfSamples(job, pods) : this.#endOfTask(job, pods);
    if (this.#definition.scope === 'sample')
      recordDone(this.#step, new Set([...this.#finished(), ...completedSamples(job)]));
    // A Job that is being deleted creates no pods, and a finalizer may keep it indefinitely.
    if (job.deleting) return this.#retry('JobLost', `Job ${name} is being deleted`);
    return this.#running(job, pods);
  }

  #start(attempt: number, memory?: number): Decision | undefined {
    const samples = this.#definition.scope === 'sample' ? this.#unfinished() : undefined;
    if (samples?.length === 0) return this.#endOfStep();
    const problem = imageProblem(this.#input.task, this.#status, this.#definition.image, this.#input.settings.job);
    if (problem !== undefined) return this.#fail({ code: 'image_not_allowed', message: problem.slice(0, 256) });
    const before = startStep(this.#input, this.#status, {
      stage: this.#stage,
      step: this.#step,
      pipeline: this.#pipeline,
      definition: this.#definition,
      attempt,
      samples,
      memory,
    });
    return { before, status: this.#status, after: [] };
  }

  /** Starts another attempt with the unfinished samples. */
  #retry(reason: StepReason, message: string, memory?: number): Decision | undefined {
    const attempt = (this.#step.attempt ?? 1) + 1;
    if (attempt > this.#input.settings.maxAttempts)
      return this.#fail({ code: 'too_many_attempts', message: `${message}; no attempts left after ${attempt - 1}` });
    this.#step.reason = reason;
    this.#step.message = message;
    const known = this.#input.jobs.filter(({ step }) => step === this.#step.name);
    const most = Math.max(0, ...known.map((job) => parseBytes(job.memory) ?? 0));
    return this.#start(attempt, memory ?? (most > 0 ? most : undefined));
  }

  #endOfSamples(job: JobFacts, pods: PodFacts[]): Decision | undefined {
    const { done, failed, starved, killed } = sampleOutcome(job, pods, this.#names);
    recordDone(this.#step, new Set([...this.#finished(), ...done]));
    recordFailedSamples(this.#status, this.#step, failed, this.#names);
    if (starved.length > 0) {
      const more = this.#moreMemory(job);
      if (more) return this.#retry('OOMKilled', `${starved.length} samples ran out of ${job.memory} of memory`, more);
      const cause = { code: 'out_of_memory', message: `the step ran out of ${job.memory} of memory` };
      const forGood = starved.map<FailedSample>((sample) => ({ ...sample, ...cause }));
      recordFailedSamples(this.#status, this.#step, forGood, this.#names);
    }
    if (killed.length > 0) {
      if (this.#mayRepeat(job)) return this.#retry('Killed', `the pods of ${killed.length} samples were killed`);
      recordFailedSamples(this.#status, this.#step, killed, this.#names);
    }
    return this.#endOfStep();
  }

  #endOfTask(job: JobFacts, pods: PodFacts[]): Decision | undefined {
    const { result, cause } = taskOutcome(job, pods);
    if (result === 'starved') {
      const more = this.#moreMemory(job);
      if (more) return this.#retry('OOMKilled', `the step ran out of ${job.memory} of memory`, more);
    }
    if (result === 'killed' && this.#mayRepeat(job)) return this.#retry('Killed', 'the pod of the step was killed');
    if (result !== 'done' && result !== 'skipped') return this.#fail(cause);
    this.#step.state = result === 'skipped' ? 'Skipped' : 'Succeeded';
    this.#step.finished = timestamp(this.#input.now);
    delete this.#step.reason;
    delete this.#step.message;
    if (cause.message) this.#step.message = cause.message;
    return undefined;
  }

  /** Ends a step whose samples are all done or permanently failed. */
  #endOfStep(): Decision | undefined {
    const step = this.#step;
    const failed = step.samples?.failed ?? 0;
    if (aliveIndexes(this.#names.length, this.#status).length === 0) {
      const first = this.#status.failures?.[0];
      step.state = 'Failed';
      step.finished = timestamp(this.#input.now);
      step.reason = REASON.noSampleLeft;
      step.message = first ? `${first.sample}: ${first.message}` : 'all samples failed';
      const message = `All samples have failed after step ${step.name}. ${step.message}`;
      finish(this.#input, this.#status, { phase: 'Failed', reason: REASON.noSampleLeft, message });
      return { before: [], status: this.#status, after: cleanUp(this.#input, this.#status) };
    }
    step.state = 'Succeeded';
    step.finished = timestamp(this.#input.now);
    delete step.reason;
    delete step.message;
    if (failed > 0) {
      step.reason = 'SamplesFailed' satisfies StepReason;
      step.message = `${failed} of ${step.samples?.total ?? failed} samples failed`;
    }
    return undefined;
  }

  #fail(cause: { code: string; message: string }): Decision {
    const step = this.#step;
    step.state = 'Failed';
    step.finished = timestamp(this.#input.now);
    step.reason = REASON.stepFailed;
    step.message = cause.message;
    recordFailure(this.#status, { step: step.name, ...cause });
    const message = `Step ${step.name} failed: ${cause.message}`;
    finish(this.#input, this.#status, { phase: 'Failed', reason: REASON.stepFailed, message });
    return { before: [], status: this.#status, after: cleanUp(this.#input, this.#status) };
  }

  #running(job: JobFacts, pods: PodFacts[]): Decision | undefined {
    const { settings, task, now } = this.#input;
    const sampleScoped = this.#definition.scope === 'sample';
    const disrupted = disruptedIndexes(job, pods, settings.maxDisruptions);
    if (disrupted.length > 0) {
      const cause = {
        code: 'disrupted_too_often',
        message: `its pod was disrupted more than ${settings.maxDisruptions} times`,
      };
      if (!sampleScoped) return this.#fail(cause);
      const failed = disrupted.flatMap((index) => samplesOf(job, index)).map((sample) => ({ sample, ...cause }));
      recordFailedSamples(this.#status, this.#step, failed, this.#names);
      return this.#retry('Disrupted', `${failed.length} samples were disrupted too often`);
    }

    const waiting = findWaiting(job, pods, this.#input);
    const hanging = findHanging(this.#input, pods, seconds(this.#definition.timeout ?? '12h') * 1000);
    const stuck = hanging.stuck ?? waiting.stuck;
    if (stuck) setProgressing(task, this.#status, 'False', stuck.reason, stuck.message, now);
    else if (findCondition(this.#status.conditions, CONDITION.progressing)?.status !== 'True')
      setProgressing(
        task,
        this.#status,
        'True',
        REASON.running,
        `Step ${this.#step.name} is running as Job ${job.name}.`,
        now,
      );
    const lost = lostPods(this.#input);
    const again = Math.min(...[waiting, hanging, lost].map(({ requeueAfterMs }) => requeueAfterMs ?? Infinity));
    return {
      before: [],
      status: this.#status,
      after: [...lost.actions, ...followGrant(this.#input, job)],
      ...(Number.isFinite(again) && { requeueAfterMs: again }),
    };
  }

  #finished(): number[] {
    return parseRanges(this.#step.samples?.finished ?? '');
  }

  /** Returns the samples that neither failed nor finished in this step. */
  #unfinished(): number[] {
    const finished = new Set(this.#finished());
    return aliveIndexes(this.#names.length, this.#status).filter((sample) => !finished.has(sample));
  }

  /** Reports whether a kill may be retried: as often as the Job controller retries failures. */
  #mayRepeat(job: JobFacts): boolean {
    const first = firstMemory(this.#definition, this.#input);
    const doubled = Math.max(0, Math.round(Math.log2((parseBytes(job.memory) ?? first) / first)));
    return job.attempt - 1 - doubled < (this.#definition.retries ?? 2);
  }

  /** Returns twice the memory; undefined above the setting's limit. */
  #moreMemory(job: JobFacts): number | undefined {
    const first = firstMemory(this.#definition, this.#input);
    const more = 2 * (parseBytes(job.memory) ?? first);
    return more <= first * 2 ** this.#input.settings.memoryDoublings ? more : undefined;
  }
}
