/** Reads from a running task's status which results exist, so that no others are looked up on storage. Pure. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { parseRanges } from '@seqpanel/crds/step-contract.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';

export interface FinishedParts {
  /** Whether a step has finished for one sample or as a whole. True for a step that the status does not mention. */
  has(step: string, index?: number): boolean;
}

/** `final`: the task has ended, so its whole folder is read. */
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
