import { type LaunchProblem, launchProblems } from '@seqpanel/crds/launch-rules.ts';
import type { PanelType } from '../../queries/launch.ts';
import { type Draft, STEPS, type Step } from './draft.ts';
import { toRequest } from './draft-request.ts';

/** Returns the step that holds the field of a problem. */
export function stepOf(problem: Pick<LaunchProblem, 'field' | 'code'>): Step {
  if (problem.field === 'panel' || problem.field === 'preset' || problem.field === 'project') return 'start-from';
  if (problem.code === 'samples_required' || problem.code === 'one_project' || problem.code === 'file_types_mixed')
    return 'select-files';
  if (problem.field === 'run_name' || problem.field === 'notify') return 'preview';
  return 'edit-definition';
}

/** Returns the broken rules of the draft. The api applies the same rules. */
export function draftProblems(
  draft: Draft,
  panels: readonly PanelType[] | undefined,
  files: ReadonlySet<string> | undefined,
): LaunchProblem[] {
  const problems = launchProblems(toRequest(draft), {
    ...(files ? { files } : {}),
    ...(panels
      ? {
          panels: new Map(
            panels.map((panel) => [
              panel.id,
              {
                bamAllowed: panel.bam_allowed,
                launchable: panel.active && panel.valid && panel.ready,
                name: panel.display_name,
              },
            ]),
          ),
        }
      : {}),
  });
  return draft.samples.length === 0 ? problems.filter((problem) => problem.field !== 'run_name') : problems;
}

/** Reports whether the wizard may continue after a step: this step and those before have no problems. */
export function isStepOpen(step: Step, draft: Draft, problems: readonly LaunchProblem[]): boolean {
  const place = STEPS.indexOf(step);
  if (place >= 1 && (draft.panel === '' || draft.project === '')) return false;
  if (place >= 2 && draft.samples.length === 0) return false;
  const blocking = problems.filter((problem) => STEPS.indexOf(stepOf(problem)) < place);
  return blocking.length === 0;
}
