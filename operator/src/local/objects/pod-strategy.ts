/** Pod writes: defaults of the used fields, validation, and immutable fields. */

import { isDeepStrictEqual } from 'node:util';
import type { Pod, PodSpec } from '@seqpanel/crds/kube/core-types.ts';
import { parseBytes, parseCores } from '../../kube/quantity.ts';
import type { Obj } from './metadata.ts';
import { badRequest, type FieldError, forbiddenValue, invalidValue, requiredValue } from './status.ts';
import type { Strategy } from './strategy.ts';

const QUANTITY = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

function requireQuantity(text: string): void {
  if (!QUANTITY.test(String(text)))
    throw badRequest(`quantities must match the regular expression '${QUANTITY.source}'`);
}

/** Applies kube-apiserver's defaults. Throws 400 for an invalid quantity. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  Object.assign(spec, { dnsPolicy: 'ClusterFirst', schedulerName: 'default-scheduler', ...spec });
  for (const container of spec.containers ?? []) {
    container.terminationMessagePath ??= '/dev/termination-log';
    container.terminationMessagePolicy ??= 'File';
    container.imagePullPolicy ??=
      /:[^/]+$/.test(container.image ?? '') && !container.image.endsWith(':latest') ? 'IfNotPresent' : 'Always';
    container.resources ??= {};
    for (const text of Object.values({ ...container.resources.requests, ...container.resources.limits }))
      requireQuantity(text);
    if (container.resources.limits)
      container.resources.requests = { ...container.resources.limits, ...container.resources.requests };
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom?.fieldRef) Object.assign(valueFrom.fieldRef, { apiVersion: 'v1' });
    }
  }
}

/** Returns the errors of a pod's spec below `path`, including limits of the local control plane. */
export function validatePodSpec(spec: PodSpec | undefined, path: string): FieldError[] {
  const containers = spec?.containers ?? [];
  if (containers.length === 0) return [requiredValue(`${path}.containers`)];
  const errors: FieldError[] = [];
  const deadline = spec?.activeDeadlineSeconds;
  if (deadline !== undefined && deadline < 1) {
    errors.push(invalidValue(`${path}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'));
  }
  if (containers.length > 1 || (spec as { initContainers?: unknown[] }).initContainers?.length) {
    errors.push(forbiddenValue(`${path}.containers`, 'the local control plane runs one container in a pod'));
  }
  containers.forEach((container, i) => {
    if (!container.name) errors.push(requiredValue(`${path}.containers[${i}].name`));
    if (!container.image) errors.push(requiredValue(`${path}.containers[${i}].image`));
    const { requests = {}, limits = {} } = container.resources ?? {};
    for (const [name, limit] of Object.entries(limits)) {
      const parse = name === 'cpu' ? parseCores : parseBytes;
      if ((parse(requests[name] ?? '0') ?? 0) <= (parse(limit) ?? 0)) continue;
      const why = `must be less than or equal to ${name} limit of ${limit}`;
      errors.push(invalidValue(`${path}.containers[${i}].resources.requests`, requests[name], why));
    }
    for (const [j, { name }] of (container.env ?? []).entries()) {
      if (!name) errors.push(requiredValue(`${path}.containers[${i}].env[${j}].name`));
    }
    for (const mount of container.volumeMounts ?? []) {
      if (!spec?.volumes?.some(({ name }) => name === mount.name)) {
        const field = `${path}.containers[${i}].volumeMounts[${container.volumeMounts!.indexOf(mount)}].name`;
        errors.push({ reason: 'FieldValueNotFound', field, message: `Not found: "${mount.name}"` });
      }
    }
  });
  return errors;
}

function qosClass({ containers }: PodSpec): string {
  const { requests = {}, limits = {} } = containers[0]?.resources ?? {};
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return 'BestEffort';
  const guaranteed = ['cpu', 'memory'].every((name) => limits[name] && limits[name] === requests[name]);
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const MUTABLE = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds', 'nodeName'];
const frozen = (spec: PodSpec | undefined) =>
  Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => !MUTABLE.includes(name)));

export const podStrategy: Strategy = {
  deletePolicy: 'Background',
  prepare(object: Obj, old) {
    const pod = object as Pod;
    if (!pod.spec?.containers) return [];
    defaultPodSpec(pod.spec);
    if (!old) object['status'] = { phase: 'Pending', qosClass: qosClass(pod.spec) };
    return [];
  },
  validate(object: Obj, old) {
    const { spec } = object as Pod;
    if (!old) return validatePodSpec(spec, 'spec');
    if (isDeepStrictEqual(frozen(spec), frozen((old as Pod).spec))) return [];
    const why =
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
    return [forbiddenValue('spec', why)];
  },
};
