/** Stages and steps of the shipped Pipeline, as in the status of a completed task. */

import type { AnalysisTaskStatus, StepStatus } from '@seqpanel/crds/kinds.ts';

export function completedStages(samples: number): NonNullable<AnalysisTaskStatus['stages']> {
  const step = (name: string): StepStatus => ({ name, state: 'Succeeded', attempt: 1 });
  const ofSamples = (name: string): StepStatus => ({
    ...step(name),
    samples: { total: samples, done: samples, failed: 0 },
  });
  const secondary = [ofSamples('reads'), step('cohort'), ofSamples('call'), step('joint')];
  return [
    { name: 'secondary', state: 'Succeeded', steps: secondary },
    ...(['annotation', 'post-filter', 'qc', 'report'] as const).map((name) => ({
      name,
      state: 'Succeeded' as const,
      steps: [step(name)],
    })),
  ];
}
