/** Finds the rule of a Job's podFailurePolicy that a failed pod matches; the first match decides. */

import type { Job, Pod, PodFailurePolicyRule } from '@seqpanel/crds/kube/core-types.ts';

export interface PolicyMatch {
  action?: PodFailurePolicyRule['action'];
  /** Whether it counts towards backoffLimit, or that of the index. */
  counted: boolean;
  /** Message of the Job's condition for FailJob. */
  message?: string;
}

/** Without a matching rule the failure counts. */
export function matchPodFailurePolicy(job: Job, pod: Pod): PolicyMatch {
  for (const [i, rule] of (job.spec?.podFailurePolicy?.rules ?? []).entries()) {
    const why = rule.onExitCodes
      ? exitCodeMatch(rule.onExitCodes, pod)
      : conditionMatch(rule.onPodConditions ?? [], pod);
    if (!why) continue;
    const message = `${why} matching ${rule.action} rule at index ${i}`;
    return { action: rule.action, counted: rule.action !== 'Ignore', ...(rule.action === 'FailJob' && { message }) };
  }
  return { counted: true };
}

const nameOf = ({ metadata }: Pod) => `${metadata?.namespace}/${metadata?.name}`;

function exitCodeMatch(rule: NonNullable<PodFailurePolicyRule['onExitCodes']>, pod: Pod): string | undefined {
  for (const { name, state } of pod.status?.containerStatuses ?? []) {
    const code = state?.terminated?.exitCode;
    if (!code || (rule.containerName && rule.containerName !== name)) continue;
    if ((rule.operator === 'In') === rule.values.includes(code)) {
      return `Container ${name} for pod ${nameOf(pod)} failed with exit code ${code}`;
    }
  }
  return undefined;
}

function conditionMatch(patterns: { type: string; status?: string }[], pod: Pod): string | undefined {
  const found = pod.status?.conditions?.find((one) =>
    patterns.some(({ type, status = 'True' }) => type === one.type && status === one.status),
  );
  return found && `Pod ${nameOf(pod)} has condition ${found.type}`;
}
