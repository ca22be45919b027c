/** What to do next with the open step of a task. */

import type { AnalysisTaskStatus, Pipeline, PipelineStep, StageStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { parseRanges } from '@seqpanel/crds/step-contract.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { findWaiting } from '../jobs/waiting.ts';
import { findCondition, timestamp } from '../kube/conditions.ts';
import { parseBytes } from '../kube/quantity.ts';
import { cleanUp } from './cleanup.ts';
import { CONDITION, REASON, setProgressing } from './conditions.ts';
import { disruptedIndexes, lostPods } from './disruptions.ts';
import { recordDone, recordFailedSamples, recordFailure } from './failures.ts';
import { finish } from './finish.ts';
import { followGrant } from './follow-grant.ts';
import { findHanging } from './hanging.ts';
import type { Decision, Input } from './input.ts';
import { seconds } from './job.ts';
import { completedSamples, type FailedSample, sampleOutcome, samplesOf, taskOutcome } from './outcome.ts';
import { aliveIndexes } from './plan.ts';
import { firstMemory, startStep } from './start-step.ts';
import { imageProblem, pinImage } from './step-image.ts';

/** One look at the open step. */
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

  /** Undefined when the step came to its end and the next one is to be looked at. */
  decide(): Decision | undefined {
    const { state, job: name } = this.#step;
    if (state === 'Pending') return this.#start(1);
    const job = this.#input.jobs.find((candidate) => candidate.name === name);
    if (!job) return this.#again('JobLost', `Job ${name} was deleted`);
    const pods = this.#input.pods.filter((pod) => pod.job === job.name);
    pinImage(this.#status, this.#definition.image, pods, this.#input.settings.job);
    if (job.end)
      return this.#definition.scope === 'sample' ? this.#endOfSamples(job, pods) : this.#endOfTask(job, pods);
    if (this.#definition.scope === 'sample')
      recordDone(this.#step, new Set([...this.#finished(), ...completedSamples(job)]));
    // It makes no pod any more, and a finalizer may keep it for ever.
    if (job.deleting) return this.#again('JobLost', `Job ${name} is being deleted`);
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

  /** A new attempt with what is unfinished. */
  #again(reason: string, message: string, memory?: number): Decision | undefined {
    const attempt = (this.#step.attempt ?? 1) + 1;
    if (attempt > this.#input.settings.maxAttempts)
      return this.#fail({ code: 'too_many_attempts', message: `${message}; attempt ${attempt - 1} was the last` });
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
      if (more) return this.#again('OOMKilled', `${starved.length} samples ran out of ${job.memory} of memory`, more);
      const cause = { code: 'out_of_memory', message: `the step needed more than ${job.memory} of memory` };
      const forGood = starved.map<FailedSample>((sample) => ({ ...sample, ...cause }));
      recordFailedSamples(this.#status, this.#step, forGood, this.#names);
    }
    if (killed.length > 0) {
      if (this.#mayRepeat(job)) return this.#again('Killed', `The pods of ${killed.length} samples were killed`);
      recordFailedSamples(this.#status, this.#step, killed, this.#names);
    }
    return this.#endOfStep();
  }

  #endOfTask(job: JobFacts, pods: PodFacts[]): Decision | undefined {
    const { result, cause } = taskOutcome(job, pods);
    if (result === 'starved') {
      const more = this.#moreMemory(job);
      if (more) return this.#again('OOMKilled', `The step ran out of ${job.memory} of memory`, more);
    }
    if (result === 'killed' && this.#mayRepeat(job)) return this.#again('Killed', 'The pod of the step was killed');
    if (result !== 'done' && result !== 'skipped') return this.#fail(cause);
    this.#step.state = result === 'skipped' ? 'Skipped' : 'Succeeded';
    this.#step.finished = timestamp(this.#input.now);
    delete this.#step.reason;
    delete this.#step.message;
    if (cause.message) this.#step.message = cause.message;
    return undefined;
  }

  /** All samples of the step are done or failed for good. */
  #endOfStep(): Decision | undefined {
    const step = this.#step;
    const failed = step.samples?.failed ?? 0;
    if (aliveIndexes(this.#names.length, this.#status).length === 0) {
      const first = this.#status.failures?.[0];
      step.state = 'Failed';
      step.finished = timestamp(this.#input.now);
      step.reason = REASON.noSampleLeft;
      step.message = first ? `${first.sample}: ${first.message}` : 'no sample is left';
      const message = `No sample is left after step ${step.name}. ${step.message}`;
      finish(this.#input, this.#status, { phase: 'Failed', reason: REASON.noSampleLeft, message });
      return { before: [], status: this.#status, after: cleanUp(this.#input, this.#status) };
    }
    step.state = 'Succeeded';
    step.finished = timestamp(this.#input.now);
    delete step.reason;
    delete step.message;
    if (failed > 0) {
      step.reason = 'SamplesFailed';
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
      return this.#again('Disrupted', `${failed.length} samples were disrupted too often`);
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
        `Step ${this.#step.name} runs as Job ${job.name}.`,
        now,
      );
    const lost = lostPods(this.#input);
    const again = Math.min(...[waiting, hanging, lost].map(({ lookAgainMs }) => lookAgainMs ?? Infinity));
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

  /** Alive samples that this step has not done. */
  #unfinished(): number[] {
    const finished = new Set(this.#finished());
    return aliveIndexes(this.#names.length, this.#status).filter((sample) => !finished.has(sample));
  }

  /** What the Job controller leaves to the operator is tried as often as what it starts again itself. */
  #mayRepeat(job: JobFacts): boolean {
    const first = firstMemory(this.#definition, this.#input);
    const doubled = Math.max(0, Math.round(Math.log2((parseBytes(job.memory) ?? first) / first)));
    return job.attempt - 1 - doubled < (this.#definition.retries ?? 2);
  }

  /** Twice the memory, as long as the setting allows. */
  #moreMemory(job: JobFacts): number | undefined {
    const first = firstMemory(this.#definition, this.#input);
    const more = 2 * (parseBytes(job.memory) ?? first);
    return more <= first * 2 ** this.#input.settings.memoryDoublings ? more : undefined;
  }
}
