import type { Draft } from './draft.ts';
import type { draftProblems } from './step-problems.ts';

/** Props of every step. */
export interface StepProps {
  group: string;
  groupParam: string;
  draft: Draft;
  setDraft: (change: (now: Draft) => Draft) => void;
  problems: ReturnType<typeof draftProblems>;
}
