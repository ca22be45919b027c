/** Metadata rules of all kinds. */

import { randomInt } from 'node:crypto';
import type { ObjectMeta } from '@seqpanel/crds/kube/core-types.ts';
import type { KubeObject } from '@seqpanel/crds/kube/objects.ts';
import type { ResourceType } from './resources.ts';
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from './status.ts';

/** Any object, with its metadata. */
export interface Obj extends KubeObject {
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** RFC 3339 in whole seconds, like metav1.Time. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
/** k8s.io/apimachinery: TotalAnnotationSizeLimitB. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Generates a name from metadata.generateName: base cut to 58, plus five letters of kube-apiserver's alphabet. */
export function generatedName(base: string): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += NAME_LETTERS[randomInt(NAME_LETTERS.length)];
  return base.slice(0, 58) + suffix;
}

/** Returns the errors of name, labels, annotations and finalizers. */
export function validateMetadata(type: ResourceType, { metadata }: Obj, old?: Obj): FieldError[] {
  const errors: FieldError[] = [];
  const name = metadata.name;
  if (!name) errors.push(requiredValue('metadata.name', 'name or generateName is required'));
  else if (!old) {
    const isLabel = type.kind === 'Namespace';
    if (name.length > (isLabel ? 63 : 253)) {
      errors.push(invalidValue('metadata.name', name, `must be no more than ${isLabel ? 63 : 253} bytes`));
    }
    if (!(isLabel ? LABEL : SUBDOMAIN).test(name)) {
      errors.push(invalidValue('metadata.name', name, isLabel ? LABEL_TEXT : SUBDOMAIN_TEXT));
    }
  }
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    checkKey('metadata.labels', key, errors);
    if (value.length > 63) errors.push(invalidValue('metadata.labels', value, 'must be no more than 63 bytes'));
    if (value !== '' && !QUALIFIED.test(value)) errors.push(invalidValue('metadata.labels', value, LABEL_VALUE_TEXT));
  }
  let bytes = 0;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    checkKey('metadata.annotations', key, errors);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > ANNOTATIONS_MAX_BYTES) {
    const message = `Too long: may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`;
    errors.push({ reason: 'FieldValueTooLong', field: 'metadata.annotations', message });
  }
  const controllers = (metadata.ownerReferences ?? []).filter(({ controller }) => controller);
  if (controllers.length > 1) {
    const [first, second] = controllers.map((owner) => `${owner.kind}/${owner.name}`);
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
    errors.push(invalidValue('metadata.ownerReferences', metadata.ownerReferences, why));
  }
  if (old?.metadata.deletionTimestamp) {
    const added = (metadata.finalizers ?? []).filter((one) => !old.metadata.finalizers?.includes(one));
    if (added.length > 0) {
      const list = `[]string{${added.map((one) => JSON.stringify(one)).join(', ')}}`;
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
      errors.push(forbiddenValue('metadata.finalizers', why));
    }
  }
  return errors;
}

function checkKey(field: string, key: string, errors: FieldError[]): void {
  const [name, prefix] = key.split('/').reverse() as [string, string | undefined];
  if (prefix !== undefined && !SUBDOMAIN.test(prefix))
    errors.push(invalidValue(field, key, `prefix part ${SUBDOMAIN_TEXT}`));
  if (!QUALIFIED.test(name) || name.length > 63) errors.push(invalidValue(field, key, QUALIFIED_TEXT));
}
