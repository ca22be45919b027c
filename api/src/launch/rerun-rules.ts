/** Decides whether a task can be rerun, and reports what changed since. Pure. */

import { formatMessage, type MessageCode } from '@seqpanel/crds/messages.ts';

export interface RerunFacts {
  external: boolean;
  panelValue: string;
  /** The panel type's current row; undefined when it is gone. `allowed`: the task's group may use it. */
  panel: { value: string; active: boolean; allowed: boolean; sha256: string; control: string | null } | undefined;
  panelSha256: string | null;
  /** SHA-256 of the frozen control file, or null without one. */
  control: string | null;
  presetVersion: number | null;
  /** Undefined: the task used the panel's default. Null: the preset was deleted. */
  preset: { version: number } | null | undefined;
  pipeline: string;
  /** Names of active pipelines. */
  pipelines: readonly string[];
  /** Hashes of annotation.json: frozen and current. */
  annotation: { frozen: string | null; now: string | null };
  /** Input files that were deleted or have other bytes now. */
  missingFiles: readonly string[];
}

export interface RerunProblem {
  code: MessageCode;
  message: string;
  /** Fills the placeholders of the text. */
  values: Readonly<Record<string, unknown>>;
}

export interface RerunAssessment {
  refusal: RerunProblem | null;
  warnings: RerunProblem[];
}

const problem = (code: MessageCode, values: Record<string, unknown> = {}): RerunProblem => ({
  code,
  message: formatMessage(code, values),
  values,
});

export function assessRerun(facts: RerunFacts): RerunAssessment {
  return { refusal: refusalOf(facts) ?? null, warnings: warningsOf(facts) };
}

function refusalOf({ external, panel, panelValue, preset, missingFiles }: RerunFacts): RerunProblem | undefined {
  if (external) return problem('rerun_external');
  if (preset === null) return problem('preset_deleted');
  if (!panel || panel.value !== panelValue) return problem('panel_type_changed');
  if (!panel.allowed) return problem('panel_unknown');
  if (!panel.active) return problem('panel_not_active');
  if (missingFiles.length > 0) return problem('launch_file_unknown', { file: missingFiles.join(', ') });
  return undefined;
}

function warningsOf(facts: RerunFacts): RerunProblem[] {
  const { panel, preset, annotation } = facts;
  const warnings: RerunProblem[] = [];
  if (preset && preset.version !== facts.presetVersion) warnings.push(problem('preset_updated'));
  if (panel && panel.sha256 !== facts.panelSha256) warnings.push(problem('panel_file_changed'));
  if (panel && panel.control !== facts.control) warnings.push(problem('control_file_changed'));
  if (!facts.pipelines.includes(facts.pipeline)) warnings.push(problem('pipeline_changed', { name: facts.pipeline }));
  if (annotation.now !== null && annotation.now !== annotation.frozen) warnings.push(problem('annotation_changed'));
  return warnings;
}
