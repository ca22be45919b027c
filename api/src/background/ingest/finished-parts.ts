/** Which results of a task under way its status says are there, so that nothing else is asked of storage. Pure. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { parseRanges } from '@seqpanel/crds/step-contract.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';

export interface FinishedParts {
  /** Whether a step has finished, of one sample or as a whole. A step that the status does not name may have. */
  has(step: string, index?: number): boolean;
}

/** `final`: the task has ended, and its folder is looked at as a whole. */
export function finishedParts(status: AnalysisTaskStatus, final: boolean): FinishedParts {
  const steps = new Map(stepsOf(status).map(({ step }) => [step.name, step]));
  const samples = new Map([...steps].map(([name, step]) => [name, new Set(parseRanges(step.samples?.finished ?? ''))]));
  return {
    has: (name, index) => {
      const step = steps.get(name);
      if (final || !step || step.state === 'Succeeded') return true;
      return index !== undefined && samples.get(name)!.has(index);
    },
  };
}
