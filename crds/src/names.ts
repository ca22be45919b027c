/** Rules for names of runs, samples, pairs and definitions. Each function returns a code of the catalogue, or undefined. */

/** Reserved [LAUNCH-25] because the results' zip has folders with these names. Compared without case. */
export const RESERVED_SAMPLE_NAMES: readonly string[] = ['system', 'log', 'common', 'undetermined'];

/** As in the schema of AnalysisTask. */
export const RUN_NAME_MAX = 150;
export const SAMPLE_NAME_MAX = 120;

const PLAIN = /^[A-Za-z0-9_-]+$/;
const DEFINITION = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

export type NameCode =
  | 'run_name_required'
  | 'run_name_characters'
  | 'run_name_too_long'
  | 'sample_name_required'
  | 'sample_name_invalid'
  | 'sample_name_reserved'
  | 'sample_name_too_long'
  | 'library_id_required'
  | 'library_id_too_long'
  | 'pair_name_required'
  | 'pair_name_characters'
  | 'definition_name_required'
  | 'definition_name_start'
  | 'definition_name_characters';

export function runNameProblem(name: string): NameCode | undefined {
  if (name === '') return 'run_name_required';
  if (!PLAIN.test(name)) return 'run_name_characters';
  return name.length > RUN_NAME_MAX ? 'run_name_too_long' : undefined;
}

export function sampleNameProblem(name: string): NameCode | undefined {
  if (name === '') return 'sample_name_required';
  if (!PLAIN.test(name)) return 'sample_name_invalid';
  if (RESERVED_SAMPLE_NAMES.includes(name.toLowerCase())) return 'sample_name_reserved';
  return name.length > SAMPLE_NAME_MAX ? 'sample_name_too_long' : undefined;
}

export function libraryIdProblem(id: string): NameCode | undefined {
  if (id.trim() === '') return 'library_id_required';
  return id.length > SAMPLE_NAME_MAX ? 'library_id_too_long' : undefined;
}

export function pairNameProblem(name: string): NameCode | undefined {
  if (name === '') return 'pair_name_required';
  return PLAIN.test(name) && name.length <= SAMPLE_NAME_MAX ? undefined : 'pair_name_characters';
}

export function definitionNameProblem(name: string): NameCode | undefined {
  if (name.trim() === '') return 'definition_name_required';
  if (!DEFINITION.test(name[0]!)) return 'definition_name_start';
  return DEFINITION.test(name) ? undefined : 'definition_name_characters';
}

/** Returns the resource name of a genome or panel type: its value in lower case, with dashes. */
export const resourceNameOf = (value: string): string => value.toLowerCase().replaceAll('_', '-');
