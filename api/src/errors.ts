/** The errors that services and stores throw; http/error-answer.ts alone turns them into answers. */
import { formatMessage, type MessageCode } from '@seqpanel/crds/messages.ts';

/** One thing wrong with the input: where, and what. */
export interface Problem {
  field?: string;
  code?: string;
  message: string;
}

export type Details = Readonly<Record<string, unknown>>;

/** A failure with a stable code of the catalogue; `details` fill the places of its text and go into the answer. */
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

/** 400: the input breaks a rule; nothing was changed. */
export class Invalid extends AppError {
  constructor(code: MessageCode, details?: Details, options?: ErrorOptions) {
    super(400, code, details, options);
  }

  /** Several problems at once; the first one's text is what a toast shows. */
  static because(code: MessageCode, problems: readonly Problem[]): Invalid {
    return new Invalid(code, { problem: problems[0]?.message, problems });
  }
}

/** 401: no token, or one that is not valid (any more). */
export class Unauthorized extends AppError {
  constructor(code: MessageCode = 'unauthorized', details?: Details) {
    super(401, code, details);
  }
}

/** 403: the caller may not do this. The console keeps the session on `permission_denied` and `password_change_required`. */
export class Forbidden extends AppError {
  constructor(code: MessageCode = 'permission_denied', details?: Details) {
    super(403, code, details);
  }
}

/** 404: it does not exist, or it belongs to a group that the caller is not in. */
export class NotFound extends AppError {
  constructor(code: MessageCode = 'not_found', details?: Details, options?: ErrorOptions) {
    super(404, code, details, options);
  }
}

/** 409: it collides with what is there. */
export class Conflict extends AppError {
  constructor(code: MessageCode, details?: Details, options?: ErrorOptions) {
    super(409, code, details, options);
  }
}

/** 429: the caller makes too many calls; it may try again after so many seconds. */
export class TooManyRequests extends AppError {
  constructor(seconds: number) {
    super(429, 'too_many_requests', { seconds });
  }
}
