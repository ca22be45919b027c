/** Reads the conditions of a resource's status, of our kinds and of Kubernetes' own. */

interface Condition {
  type: string;
  status: string;
}

export const findCondition = <C extends Condition>(conditions: readonly C[] | undefined, type: string): C | undefined =>
  conditions?.find((condition) => condition.type === type);

export const findTrue = <C extends Condition>(conditions: readonly C[] | undefined, type: string): C | undefined =>
  conditions?.find((condition) => condition.type === type && condition.status === 'True');

export const isTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  findTrue(conditions, type) !== undefined;

/** False for a condition that is missing or Unknown. */
export const isFalse = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'False';
