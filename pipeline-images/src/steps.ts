import type { AnyStep } from './step/definition.ts';

/** Every step by name. Loaded only when asked for: a pod runs one step and should not pay for the others. */
export const STEPS: Readonly<Record<string, () => Promise<AnyStep>>> = {
  reads: async () => (await import('./reads/step.ts')).readsStep,
  cohort: async () => (await import('./cohort/step.ts')).cohortStep,
  call: async () => (await import('./call/step.ts')).callStep,
  joint: async () => (await import('./joint/step.ts')).jointStep,
  annotation: async () => (await import('./annotation/step.ts')).annotationStep,
  'post-filter': async () => (await import('./post-filter/step.ts')).postFilterStep,
  qc: async () => (await import('./qc/step.ts')).qcStep,
  report: async () => (await import('./report/step.ts')).reportStep,
  'check-panel': async () => (await import('./panel/check.ts')).checkPanelStep,
  'install-genome': async () => (await import('./genome/install.ts')).installGenomeStep,
};
