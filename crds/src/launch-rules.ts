/**
 * The rules of a launch. The wizard checks them while the user types, launch-task before it creates anything. Pure: the
 * caller passes what the rules need to know about projects and panels.
 */

import { emailProblem } from './account-rules.ts';
import { formatMessage, type MessageCode } from './messages.ts';
import { libraryIdProblem, runNameProblem, sampleNameProblem } from './names.ts';
import { type PairInput, pairProblems } from './pairing.ts';
import { filesProblems, parseFileName, type ReadName } from './sample-grouping.ts';

export interface LaunchFile {
  name: string;
  read?: ReadName | null | undefined;
  lane?: string | null | undefined;
  /** Project of the file. Default: the project of the launch. */
  project?: string | null | undefined;
}

export interface LaunchSampleInput {
  name: string;
  library_id: string;
  role?: string | undefined;
  qc_type?: string | undefined;
  panel?: string | null | undefined;
  files: readonly LaunchFile[];
  tumor_content?: number | string | null | undefined;
  skipped?: boolean | undefined;
}

export interface LaunchInput {
  name: string;
  project: string;
  panel?: string | null | undefined;
  notify?: readonly string[] | undefined;
  samples: readonly LaunchSampleInput[];
  pairs?: readonly PairInput[] | undefined;
}

/** Context of the rules. Parts that are missing are not checked, as in the wizard's first steps. */
export interface LaunchWorld {
  /** Names of the project's files. */
  files?: ReadonlySet<string>;
  /** Panels by id. Only these can be chosen. */
  panels?: ReadonlyMap<string, { bamAllowed: boolean; launchable: boolean; name: string }>;
}

export type LaunchCode = MessageCode & string;

export interface LaunchProblem {
  code: LaunchCode;
  message: string;
  sample?: string;
  /** Index of the sample in the input, from 0. */
  index?: number;
  pair?: string;
  field?: string;
  /** Further values of the code's text. */
  values?: Record<string, unknown>;
}

type Add = (
  code: LaunchCode,
  where: Omit<LaunchProblem, 'code' | 'message' | 'values'>,
  values?: Record<string, unknown>,
) => void;

/** Returns every broken rule in the order of the samples. Empty: the launch is valid. Skips skipped samples [LAUNCH-32]. */
export function launchProblems(input: LaunchInput, world: LaunchWorld = {}): LaunchProblem[] {
  const problems: LaunchProblem[] = [];
  const add: Add = (code, where, values) => {
    problems.push({ code, message: formatMessage(code, { ...where, ...values }), ...where, ...(values && { values }) });
  };
  const runName = runNameProblem(input.name);
  if (runName) add(runName, { field: 'run_name' });
  for (const email of input.notify ?? []) {
    if (emailProblem(email)) add('notify_email_invalid', { field: 'notify' }, { email });
  }
  const active = input.samples.map((sample, index) => ({ sample, index })).filter(({ sample }) => !sample.skipped);
  if (active.length === 0) add('samples_required', { field: 'samples' });
  const names = new Set<string>();
  const kinds = new Set<string>();
  for (const { sample, index } of active) {
    const where = { sample: sample.name, index };
    nameRules(sample, where, names, add);
    tumorContentRule(sample, where, add);
    panelRule(input, sample, where, world, add);
    for (const kind of fileRules(input, sample, where, world, add)) kinds.add(kind);
  }
  if (kinds.size > 1) add('file_types_mixed', { field: 'files' });
  const roles = new Map(active.map(({ sample }) => [sample.name, sample.role ?? 'germline']));
  for (const problem of pairProblems(input.pairs ?? [], roles)) {
    add(problem.code, { field: 'pair', pair: problem.pair, ...(problem.sample && { sample: problem.sample }) });
  }
  return problems;
}

type Where = { sample: string; index: number };

function nameRules(sample: LaunchSampleInput, where: Where, names: Set<string>, add: Add): void {
  const code = sampleNameProblem(sample.name);
  if (code) add(code, { ...where, field: 'name' });
  // Compare without case: folders have these names, and some file systems ignore case.
  else if (names.has(sample.name.toLowerCase())) add('sample_name_exists', { ...where, field: 'name' });
  names.add(sample.name.toLowerCase());
  const library = libraryIdProblem(sample.library_id);
  if (library) add(library, { ...where, field: 'library_id' });
}

/** 0 to 100 [LAUNCH-26] with at most two decimals [LAUNCH-27]. */
export function tumorContentProblem(
  value: number | string,
): 'tumor_content_invalid' | 'tumor_content_decimals' | undefined {
  const text = String(value).trim();
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text)) return 'tumor_content_invalid';
  const number = Number(text);
  if (!(number >= 0 && number <= 100)) return 'tumor_content_invalid';
  return (text.split('.')[1]?.length ?? 0) > 2 ? 'tumor_content_decimals' : undefined;
}

function tumorContentRule(sample: LaunchSampleInput, where: Where, add: Add): void {
  const value = sample.tumor_content;
  if (value === undefined || value === null || value === '') return;
  const code = tumorContentProblem(value);
  if (code) add(code, { ...where, field: 'tumor_content' });
}

function panelRule(input: LaunchInput, sample: LaunchSampleInput, where: Where, world: LaunchWorld, add: Add): void {
  const id = sample.panel || input.panel;
  if (!id) {
    add('panel_required', { ...where, field: 'panel' });
    return;
  }
  if (!world.panels) return;
  const panel = world.panels.get(id);
  if (!panel) add('panel_unknown', { ...where, field: 'panel' });
  else if (!panel.launchable) add('panel_not_launchable', { ...where, field: 'panel' });
}

/** Checks the files of a sample and returns their kinds. */
function fileRules(
  input: LaunchInput,
  sample: LaunchSampleInput,
  where: Where,
  world: LaunchWorld,
  add: Add,
): string[] {
  const field = 'files';
  if (sample.files.length === 0) {
    add('sample_files_required', { ...where, field });
    return [];
  }
  const kinds = new Set<string>();
  const parsed: { name: string; read: ReadName; lane?: string }[] = [];
  for (const file of sample.files) {
    const found = parseFileName(file.name);
    if (!found) {
      add('file_format_unsupported', { ...where, field }, { file: file.name });
      continue;
    }
    kinds.add(found.kind === 'fastq' ? 'fq' : 'bam');
    if (file.project && file.project !== input.project) add('one_project', { ...where, field });
    else if (world.files && !world.files.has(file.name))
      add('launch_file_unknown', { ...where, field }, { file: file.name });
    const lane = file.lane ?? found.lane;
    parsed.push({ name: file.name, read: file.read ?? found.read, ...(lane && { lane }) });
  }
  if (kinds.size > 1) add('file_types_mixed', { ...where, field });
  for (const { code, file } of filesProblems(parsed)) add(code as LaunchCode, { ...where, field }, { file });
  if (parsed.filter(({ read }) => read === 'bam').length > 1) add('bam_repeated', { ...where, field });
  const panel = world.panels?.get(sample.panel || input.panel || '');
  if (panel && !panel.bamAllowed && kinds.has('bam'))
    add('bam_not_supported', { ...where, field }, { panel: panel.name });
  return [...kinds];
}

/** Splits the comma-separated list as typed: trims addresses and skips blanks. */
export const splitEmails = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
