/** API errors with kube-apiserver's messages: an ApiError carries the Status body of the response. */

/** Error of one field; the messages are those of k8s.io/apimachinery/pkg/util/validation/field. */
export interface FieldError {
  reason: string;
  field: string;
  message: string;
  /** Schema errors after which kube-apiserver skips the CEL rules. */
  blocking?: boolean;
}

/** The resource and object of a Status body. */
export interface StatusSubject {
  group: string;
  /** Plural; for 422 the kind. */
  kind: string;
  name?: string;
}

/** A request rejected with a Status body. */
export class ApiError extends Error {
  readonly code: number;
  readonly body: Record<string, unknown>;
  constructor(code: number, reason: string, message: string, details?: Record<string, unknown>, metadata = {}) {
    super(message);
    this.code = code;
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code,
    };
  }
}

const details = ({ name, group, kind }: StatusSubject) => ({ ...(name && { name }), ...(group && { group }), kind });
const qualified = ({ group, kind }: StatusSubject) => (group ? `${kind}.${group}` : kind);

/** 404 */
export const notFound = (subject: StatusSubject): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(subject)} "${subject.name}" not found`, details(subject));
/** 409 on create */
export const alreadyExists = (subject: StatusSubject): ApiError =>
  new ApiError(409, 'AlreadyExists', `${qualified(subject)} "${subject.name}" already exists`, details(subject));
/** 409 on write */
export const conflict = (subject: StatusSubject, why: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(subject)} "${subject.name}": ${why}`,
    details(subject),
  );
export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';
/** 400 */
export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);
/** 404 for a path that is not served. */
export const noSuchResource = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
/** 405 */
export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
/** 410: the requested version is compacted. */
export const expired = (asked: number, oldest: number): ApiError =>
  new ApiError(410, 'Expired', `too old resource version: ${asked} (${oldest})`);
/** 415 */
export const unsupportedPatch = (accepted: string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/** 422: `Kind.group "name" is invalid: field: what`. */
export function invalid(subject: StatusSubject, errors: FieldError[]): ApiError {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const what = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  return new ApiError(422, 'Invalid', `${qualified(subject)} "${subject.name ?? ''}" is invalid: ${what}`, {
    ...details(subject),
    causes,
  });
}

/** Formats a value as in `Invalid value: …`. */
export const shown = (value: unknown): string => JSON.stringify(value) ?? 'null';

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${shown(value)}: ${detail}`,
});
export const requiredValue = (field: string, detail = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: detail ? `Required value: ${detail}` : 'Required value',
  blocking: true,
});
export const forbiddenValue = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});
export const immutable = (field: string, value: unknown): FieldError =>
  invalidValue(field, value, 'field is immutable');
