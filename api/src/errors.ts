/** Errors that services and stores throw. http/error-answer.ts turns them into answers. */
import { formatMessage, type MessageCode } from '@seqpanel/crds/messages.ts';

/** One problem of the input and its field. */
export interface Problem {
  field?: string;
  code?: string;
  message: string;
  /** Values of the code's text. */
  values?: Record<string, unknown>;
}

export type Details = Readonly<Record<string, unknown>>;

/**
 * Failure with a stable code of the message catalogue. `details` fill the placeholders of its text and are sent in the
 * answer.
 */
export class AppError extends Error {
  readonly status: number;
  readonly code: MessageCode;
  readonly details: Details | null;

  constructor(status: number, code: MessageCode, details?: Details, options?: ErrorOptions) {
    super(formatMessage(code, details), options);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.details = details ?? null;
  }
}

/** 400: the input breaks a rule. Nothing was changed. */
export class Invalid extends AppError {
  constructor(code: MessageCode, details?: Details, options?: ErrorOptions) {
    super(400, code, details, options);
  }

  /** Combines several problems. The toast shows the text of the first. */
  static because(code: MessageCode, problems: readonly Problem[]): Invalid {
    return new Invalid(code, { ...problems[0]?.values, problem: problems[0]?.message, problems });
  }
}

/** 401: the token is missing, invalid or expired. */
export class Unauthorized extends AppError {
  constructor(code: MessageCode = 'unauthorized', details?: Details) {
    super(401, code, details);
  }
}

/**
 * 403: the caller may not do this. The console keeps the session on `permission_denied` and `password_change_required`.
 */
export class Forbidden extends AppError {
  constructor(code: MessageCode = 'permission_denied', details?: Details) {
    super(403, code, details);
  }
}

/** 404: the object does not exist, or belongs to a group that the caller is not a member of. */
export class NotFound extends AppError {
  constructor(code: MessageCode = 'not_found', details?: Details, options?: ErrorOptions) {
    super(404, code, details, options);
  }
}

/** 409: the change conflicts with the current state. */
export class Conflict extends AppError {
  constructor(code: MessageCode, details?: Details, options?: ErrorOptions) {
    super(409, code, details, options);
  }
}

/** 429: the caller exceeds its rate limit. `Retry-After` says when to try again. */
export class TooManyRequests extends AppError {
  constructor(seconds: number) {
    super(429, 'too_many_requests', { seconds });
  }
}
