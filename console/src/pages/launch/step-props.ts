import type { Draft } from './draft.ts';
import type { draftProblems } from './step-problems.ts';

/** What every step is given. */
export interface StepProps {
  group: string;
  groupParam: string;
  draft: Draft;
  setDraft: (change: (now: Draft) => Draft) => void;
  problems: ReturnType<typeof draftProblems>;
}
