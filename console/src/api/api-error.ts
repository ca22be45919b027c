/** Error answer of the api ([API-05]): `code` is stable and is the key of the text in every language. */
export interface ErrorAnswer {
  id: string;
  code: string;
  message: string;
  DISPLAY_ERROR_MESSAGE: string | null;
  details: Record<string, unknown> | null;
}

/** One broken rule among `details.problems`. `field` is a JSON path, a file name or a line. */
export interface Problem {
  field?: string;
  code?: string;
  message: string;
  /** Values of the code's text. */
  values?: Record<string, unknown>;
}

/**
 * - `answered`: the server answered with an error status
 * - `unreachable`: no answer (after the retries, where the call may be repeated)
 * - `timeout`: no answer within REQUEST_TIMEOUT_MS
 */
export type ApiErrorKind = 'answered' | 'unreachable' | 'timeout';

/** Any failed call. `status` is 0 when there was no answer. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly answer: ErrorAnswer | undefined;
  /** When it happened; shown among the details, UTC. */
  readonly time = new Date();

  constructor(kind: ApiErrorKind, request: { method: string; url: string }, status = 0, answer?: ErrorAnswer) {
    super(answer?.message ?? `${request.method} ${request.url}: ${kind} ${status}`);
    this.name = 'ApiError';
    this.kind = kind;
    this.status = status;
    this.method = request.method;
    this.path = new URL(request.url, 'http://localhost').pathname;
    this.answer = answer;
  }

  get code(): string | undefined {
    return this.answer?.code;
  }

  /** Every broken rule that the answer lists, or none. */
  get problems(): Problem[] {
    const list = this.answer?.details?.['problems'];
    return Array.isArray(list) ? (list as Problem[]) : [];
  }
}

/** True for an answer in the api's error shape; anything else (a proxy's HTML page) has no code and no text. */
export function isErrorAnswer(body: unknown): body is ErrorAnswer {
  return typeof body === 'object' && body !== null && typeof (body as ErrorAnswer).code === 'string';
}

/** Reports whether the role was refused: the page says so and the session stays. */
export function isPermissionDenied(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.code === 'permission_denied';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
