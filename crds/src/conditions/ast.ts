/**
 * The one condition language (DESIGN 6): a filter is the AND of its conditions, a group the OR of its filters, groups
 * are ordered and the first that matches names the row. The post-filter step evaluates it in TypeScript; tertiary
 * analysis compiles the same tree to SQL.
 */

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type ListOperator = 'in' | 'not in';
export type TextOperator = 'contains' | 'starts with';
export type Operator = ComparisonOperator | ListOperator | TextOperator;

/** One test of one field. `missingPasses` decides for a row that has no value in the field. */
export interface Condition {
  field: string;
  operator: Operator;
  value: number | string | boolean | (number | string)[];
  missingPasses: boolean;
}

export interface Filter {
  /** At most 31 characters (SPEC 9). */
  name: string;
  conditions: Condition[];
  disabled?: boolean;
}

export interface ConditionGroup {
  /** At most 31 characters (SPEC 9). */
  name: string;
  filters: Filter[];
}

/** One threshold on a sample's QC metric. Without `sampleTypes` it applies to every type. */
export interface QcCondition {
  metric: string;
  operator: ComparisonOperator;
  value: number;
  action: 'warn' | 'fail';
  sampleTypes?: ('NTC' | 'NegCtrl' | 'PosCtrl' | 'Sample')[];
}

/** A row as the evaluator sees it: a field that is absent, null, '' or '.' is missing. */
export type Row = Readonly<Record<string, unknown>>;
