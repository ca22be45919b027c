/** Job writes: defaults, generated selector and labels, validation, and immutable fields. */

import { isDeepStrictEqual } from 'node:util';
import type { Job } from '@seqpanel/crds/kube/core-types.ts';
import type { Obj } from './metadata.ts';
import { defaultPodSpec, validatePodSpec } from './pod-strategy.ts';
import { type FieldError, immutable, invalidValue, requiredValue } from './status.ts';
import type { Strategy } from './strategy.ts';

/** Fields of batch/v1 JobSpec that the server defaults and the product does not write. */
export type FullJobSpec = NonNullable<Job['spec']> & {
  selector?: { matchLabels?: Record<string, string> };
  podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed';
  manualSelector?: boolean;
};

/** `backoffLimit` of a Job with backoffLimitPerIndex. */
const NO_BACKOFF_LIMIT = 2147483647;

function applyDefaults(job: Job & { metadata: Obj['metadata'] }, spec: FullJobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : NO_BACKOFF_LIMIT;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  for (const rule of spec.podFailurePolicy?.rules ?? [])
    for (const one of rule.onPodConditions ?? []) one.status ??= 'True';
  const { metadata } = job;
  const template = spec.template.metadata ?? {};
  if (!metadata.labels && template.labels) metadata.labels = { ...template.labels };
  const uid = metadata.uid!;
  const name = metadata.name!;
  template.labels = {
    ...template.labels,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  spec.template.metadata = template;
  spec.selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
}

function validateNew(job: Obj, spec: FullJobSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of [
    'completions',
    'parallelism',
    'backoffLimit',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
    'activeDeadlineSeconds',
    'ttlSecondsAfterFinished',
  ] as const) {
    const value = spec[field];
    if (value !== undefined && value < 0)
      errors.push(invalidValue(`spec.${field}`, value, 'must be greater than or equal to 0'));
  }
  const indexed = spec.completionMode === 'Indexed';
  if (indexed && spec.completions === undefined)
    errors.push(requiredValue('spec.completions', 'when completion mode is Indexed'));
  if (indexed) {
    const host = `${job.metadata.name}-${Math.max((spec.completions ?? 1) - 1, 0)}`;
    if (host.length > 63 || host.includes('.')) {
      errors.push(
        invalidValue(
          'metadata.name',
          job.metadata.name,
          `will not able to create pod with invalid DNS label ${host}: must be no more than 63 bytes`,
        ),
      );
    }
  }
  if (spec.backoffLimitPerIndex !== undefined && !indexed) {
    errors.push(
      invalidValue('spec.backoffLimitPerIndex', spec.backoffLimitPerIndex, 'requires indexed completion mode'),
    );
  }
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(requiredValue('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  }
  if (
    spec.maxFailedIndexes !== undefined &&
    spec.completions !== undefined &&
    spec.maxFailedIndexes > spec.completions
  ) {
    errors.push(
      invalidValue('spec.maxFailedIndexes', spec.maxFailedIndexes, 'must be less than or equal to completions'),
    );
  }
  spec.podFailurePolicy?.rules.forEach((rule, i) => {
    const path = `spec.podFailurePolicy.rules[${i}]`;
    if (rule.action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
      errors.push(invalidValue(`${path}.action`, 'FailIndex', 'requires the backoffLimitPerIndex to be set'));
    }
    rule.onExitCodes?.values.forEach((value, j) => {
      if (value === 0 && rule.onExitCodes?.operator === 'In') {
        errors.push(invalidValue(`${path}.onExitCodes.values[${j}]`, 0, 'must not be 0 for the In operator'));
      }
    });
    const named = rule.onExitCodes?.containerName;
    if (named && !spec.template.spec.containers.some(({ name }) => name === named)) {
      const why = 'must be one of the container or initContainer names in the pod template';
      errors.push(invalidValue(`${path}.onExitCodes.containerName`, named, why));
    }
    if (!rule.onExitCodes && !rule.onPodConditions?.length) {
      errors.push(invalidValue(path, rule, 'specifying one of OnExitCodes and OnPodConditions is required'));
    }
  });
  const policy = spec.template.spec?.restartPolicy;
  const path = 'spec.template.spec.restartPolicy';
  if (policy === undefined) errors.push(requiredValue(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'Never') errors.push(invalidValue(path, policy, 'the local control plane supports "Never" only'));
  return errors;
}

const IMMUTABLE = [
  'completions',
  'selector',
  'template',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
] as const;

/** The scheduling fields of a Job's template may change while it is suspended and has never started. */
function withoutPlacement(spec: FullJobSpec): unknown {
  const { nodeSelector: _n, tolerations: _t, ...pod } = spec.template.spec;
  return { labels: spec.template.metadata?.labels, pod };
}

export const jobStrategy: Strategy = {
  deletePolicy: 'Orphan',
  prepare(object: Obj, old) {
    const job = object as Job & Obj;
    const spec = job.spec as FullJobSpec | undefined;
    if (!spec?.template?.spec) return [];
    if (!old) {
      object['status'] = {};
      applyDefaults(job, spec);
    }
    const restartPolicy = spec.template.spec.restartPolicy;
    defaultPodSpec(spec.template.spec);
    if (restartPolicy === undefined) delete spec.template.spec.restartPolicy;
    return [];
  },
  validate(object: Obj, old) {
    const spec = (object as Job).spec as FullJobSpec | undefined;
    const errors = spec?.template
      ? validatePodSpec(spec.template.spec, 'spec.template.spec')
      : [requiredValue('spec.template')];
    if (errors.length > 0) return errors;
    if (!old) return validateNew(object, spec!);
    const before = (old as Job).spec as FullJobSpec;
    const placeable = before.suspend && !(old as Job).status?.startTime;
    return IMMUTABLE.filter((field) =>
      field === 'template' && placeable
        ? !isDeepStrictEqual(withoutPlacement(spec!), withoutPlacement(before))
        : !isDeepStrictEqual(spec![field], before[field]),
    ).map((field) => immutable(`spec.${field}`, spec![field]));
  },
};
