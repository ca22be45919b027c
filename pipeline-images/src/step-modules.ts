import type { AnyStep } from './runner/step-definition.ts';

/** Every step by name. Loaded on demand, because a pod runs only one step. */
export const STEPS: Readonly<Record<string, () => Promise<AnyStep>>> = {
  reads: async () => (await import('./reads/reads-step.ts')).readsStep,
  cohort: async () => (await import('./cohort/cohort-step.ts')).cohortStep,
  call: async () => (await import('./call/call-step.ts')).callStep,
  joint: async () => (await import('./joint/joint-step.ts')).jointStep,
  annotation: async () => (await import('./annotation/annotation-step.ts')).annotationStep,
  'post-filter': async () => (await import('./post-filter/post-filter-step.ts')).postFilterStep,
  qc: async () => (await import('./qc/qc-step.ts')).qcStep,
  report: async () => (await import('./report/report-step.ts')).reportStep,
  'check-panel': async () => (await import('./panel/check-panel-step.ts')).checkPanelStep,
  'install-genome': async () => (await import('./genome/install-genome-step.ts')).installGenomeStep,
};
