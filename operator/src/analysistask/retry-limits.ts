/** Limits of retries after kills and after running out of memory. */

import type { JobFacts } from '../jobs/facts.ts';
import { parseBytes } from '../kube/quantity.ts';
import type { OpenStep } from './open-step.ts';
import { firstMemory } from './start-step.ts';

/** Reports whether a kill may be retried: as often as the Job controller retries failures. */
export function mayRetryKill({ definition, input }: OpenStep, job: JobFacts): boolean {
  const first = firstMemory(definition, input);
  const doubled = Math.max(0, Math.round(Math.log2((parseBytes(job.memory) ?? first) / first)));
  return job.attempt - 1 - doubled < (definition.retries ?? 2);
}

/** Returns twice the memory; undefined above the setting's limit. */
export function doubledMemory({ definition, input }: OpenStep, job: JobFacts): number | undefined {
  const first = firstMemory(definition, input);
  const more = 2 * (parseBytes(job.memory) ?? first);
  return more <= first * 2 ** input.settings.memoryDoublings ? more : undefined;
}

/** Returns the largest memory that an earlier attempt of the step had. */
export function largestMemory({ input, step }: OpenStep): number | undefined {
  const attempts = input.jobs.filter((job) => job.step === step.name);
  const most = Math.max(0, ...attempts.map((job) => parseBytes(job.memory) ?? 0));
  return most > 0 ? most : undefined;
}
