/** Collects the broken rules of a launch and rejects it. Pure. */

import { type LaunchProblem, launchProblems } from '@seqpanel/crds/launch-rules.ts';
import { formatMessage, type MessageCode } from '@seqpanel/crds/messages.ts';
import { Invalid } from '../errors.ts';
import { isLaunchable } from '../panel-types/panel-row.ts';
import { combinations, type Definition, pairsAcross } from './definition.ts';
import type { LaunchContext } from './launch-context.ts';

export function problemsOf(definition: Definition, context: LaunchContext): LaunchProblem[] {
  const problems: LaunchProblem[] = [];
  const add = (code: MessageCode, where: Omit<LaunchProblem, 'code' | 'message'> = {}): void => {
    problems.push({ code, message: formatMessage(code, where), ...where });
  };
  if (!context.project) add('project_unknown', { field: 'project' });
  const panels = new Map(
    [...context.panels].map(([id, panel]) => [
      id,
      { bamAllowed: panel.panel?.bamAllowed ?? false, launchable: isLaunchable(panel), name: panel.display_name },
    ]),
  );
  problems.push(
    ...launchProblems(definition, { panels, ...(context.project && { files: new Set(context.files.keys()) }) }),
  );
  problems.push(...pairsAcross(definition));
  for (const { panelId, presetId, samples } of combinations(definition)) {
    const where = { field: 'preset', ...(samples[0] && { sample: samples[0].name }) };
    const preset = presetId === null ? undefined : context.presets.get(presetId);
    if (presetId !== null && !preset) add('preset_unknown', where);
    else if (preset && preset.panel_type_id !== panelId) add('preset_wrong_panel', where);
  }
  if (context.pipelines.length === 0) add('pipeline_none');
  return problems;
}

/** Throws the first problem's code and text, with all problems in details.problems. */
export function rejectProblems(problems: readonly LaunchProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const { code, message, values, ...where } = first;
  throw new LaunchRejected(code as MessageCode, { ...where, ...values, problems }, message);
}

/** Keeps the problem's own message, because its placeholders were filled where the problem was found. */
class LaunchRejected extends Invalid {
  constructor(code: MessageCode, details: Record<string, unknown>, message: string) {
    super(code, details);
    this.message = message;
  }
}
