/** Rules for single form fields. Each function returns the broken rule, or undefined. */

import type { MessageCode } from './messages.ts';
import type { ParameterDefinition } from './panel.ts';

export interface FieldProblem {
  code: MessageCode;
  /** Values for the placeholders of the message. */
  values?: Record<string, unknown>;
}

type Verdict = FieldProblem | undefined;
const broken = (code: MessageCode, values?: Record<string, unknown>): FieldProblem =>
  values ? { code, values } : { code };
const matching =
  (pattern: RegExp, code: MessageCode) =>
  (text: string): Verdict =>
    text === '' ? broken('field_required') : pattern.test(text) ? undefined : broken(code);

/** Values must be greater than 0 and at most this [PRESET-20]. */
export const VALUE_CAP = 1000;
/** Longest name of a filter or group [PRESET-11]. */
export const FILTER_NAME_MAX = 31;
/**
 * Upper limit of the copy loss threshold. Of the two readings "between 0 and 1" and "greater than 0 and at most 1" the
 * second applies [PRESET-17]: a ratio of up to 1 cannot be a gain, and 0 would never call a loss.
 */
export const COPY_LOSS_MAX = 1;
export const COPY_GAIN_MIN = 1;

export const sequenceProblem = matching(/^[ACGT]$/, 'sequence_invalid');
export const geneSymbolProblem = matching(/^[A-Za-z0-9]+$/, 'gene_symbol_invalid');
export const nmNumberProblem = matching(/^[A-Za-z0-9_]+$/, 'nm_number_invalid');
export const variantNameProblem = matching(/^[A-Za-z0-9_.-]+$/, 'variant_name_invalid');

export const copyGainProblem = (value: number): Verdict =>
  Number.isFinite(value) && value >= COPY_GAIN_MIN ? undefined : broken('copy_gain_invalid');
export const copyLossProblem = (value: number): Verdict =>
  value > 0 && value <= COPY_LOSS_MAX ? undefined : broken('copy_loss_invalid');
export const cappedValueProblem = (value: number): Verdict =>
  value > 0 && value <= VALUE_CAP ? undefined : broken('value_cap');
export const maxProblem = (min: number, max: number): Verdict => (max > min ? undefined : broken('max_not_greater'));

export interface NumberLimits {
  integer?: boolean;
  min?: number | undefined;
  max?: number | undefined;
}

/** Checks a number, given as number or text. An empty text is a blank field. */
export function numberProblem(input: unknown, { integer = false, min, max }: NumberLimits = {}): Verdict {
  if (input === undefined || input === null || input === '') return broken('field_required');
  const value = typeof input === 'string' && input.trim() !== '' ? Number(input) : input;
  if (typeof value !== 'number' || !Number.isFinite(value))
    return broken(integer ? 'integer_invalid' : 'number_invalid');
  if (integer && !Number.isInteger(value)) return broken('integer_invalid');
  if (min !== undefined && value < min) return broken('number_min', { min });
  if (max !== undefined && value > max) return broken('number_max', { max });
  return undefined;
}

/** Checks a value against the definition of its parameter. */
export function parameterValueProblem(definition: ParameterDefinition, value: unknown): Verdict {
  const { type, min, max, choices = [] } = definition;
  if (type === 'integer' || type === 'number') {
    if (typeof value === 'string') return broken(type === 'integer' ? 'integer_invalid' : 'number_invalid');
    return numberProblem(value, { integer: type === 'integer', min, max });
  }
  if (value === undefined || value === null || value === '') return broken('field_required');
  if (type === 'choice' && !choices.includes(String(value)))
    return broken('choice_invalid', { choices: choices.join(', ') });
  if (type === 'boolean' && typeof value !== 'boolean') return broken('choice_invalid', { choices: 'true, false' });
  return undefined;
}
