/**
 * The condition language. A filter matches when all its conditions match, a group when one of its filters matches. The
 * first matching group names the row. The post-filter step evaluates the tree in TypeScript, tertiary analysis compiles
 * it to SQL.
 */

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type ListOperator = 'in' | 'not in';
export type TextOperator = 'contains' | 'starts with';
export type Operator = ComparisonOperator | ListOperator | TextOperator;

/** One test of one field. `missingPasses` decides for a row without a value in the field. */
export interface Condition {
  field: string;
  operator: Operator;
  value: number | string | boolean | (number | string)[];
  missingPasses: boolean;
}

export interface Filter {
  /** At most 31 characters [PRESET-11]. */
  name: string;
  conditions: Condition[];
  disabled?: boolean;
}

export interface ConditionGroup {
  /** At most 31 characters [PRESET-11]. */
  name: string;
  filters: Filter[];
}

/** A threshold on a sample's QC metric. Without `sampleTypes` it applies to every type. */
export interface QcCondition {
  metric: string;
  operator: ComparisonOperator;
  value: number;
  action: 'warn' | 'fail';
  sampleTypes?: ('NTC' | 'NegCtrl' | 'PosCtrl' | 'Sample')[];
}

/** A row to evaluate. A field that is absent, null, '' or '.' has no value. */
export type Row = Readonly<Record<string, unknown>>;
