/** The error class of the project, with the exit code and HTTP status of each error code. */

const consequences = {
  INVALID_REQUEST: { exitCode: 2, status: 400 },
  UNSUPPORTED_PARAMETER: { exitCode: 2, status: 400 },
  UNAUTHORIZED: { exitCode: 1, status: 401 },
  FORBIDDEN: { exitCode: 1, status: 403 },
  VOICE_NOT_FOUND: { exitCode: 3, status: 404 },
  MODEL_NOT_FOUND: { exitCode: 3, status: 404 },
  CONSENT_NOT_FOUND: { exitCode: 3, status: 404 },
  CONFLICT: { exitCode: 1, status: 409 },
  PAYLOAD_TOO_LARGE: { exitCode: 2, status: 413 },
  UNSUPPORTED_AUDIO: { exitCode: 2, status: 415 },
  UNSUPPORTED_MEDIA_TYPE: { exitCode: 2, status: 415 },
  MODEL_INVALID: { exitCode: 4, status: 500 },
  BACKEND_UNAVAILABLE: { exitCode: 5, status: 503 },
  PLAYBACK_UNAVAILABLE: { exitCode: 5, status: 501 },
  QUEUE_FULL: { exitCode: 1, status: 503 },
  RATE_LIMITED: { exitCode: 1, status: 429 },
  DEVICE_LOST: { exitCode: 1, status: 503 },
  OUT_OF_MEMORY: { exitCode: 6, status: 503 },
  NETWORK: { exitCode: 7, status: 502 },
  DEADLINE_EXCEEDED: { exitCode: 1, status: 504 },
  CANCELLED: { exitCode: 130, status: 499 },
  IO: { exitCode: 1, status: 500 },
  INTERNAL: { exitCode: 1, status: 500 },
} as const satisfies Record<string, { readonly exitCode: number; readonly status: number }>;

export type ErrorCode = keyof typeof consequences;

export interface SvcErrorOptions extends ErrorOptions {
  /** The invalid field or part of the request. */
  readonly param?: string | undefined;
  /** The way out, where it is shown apart from the problem. */
  readonly remedy?: string | undefined;
}

/**
 * The message is one line that names the thing, the problem and, if there is one, the way out: a remedy follows the problem
 * after a semicolon.
 */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  readonly param: string | undefined;
  /** The message without the remedy. */
  readonly problem: string;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, problem: string, options?: SvcErrorOptions) {
    super(options?.remedy === undefined ? problem : `${problem}; ${options.remedy}`, options);
    this.code = code;
    this.problem = problem;
    this.param = options?.param;
    this.remedy = options?.remedy;
  }

  get exitCode(): number {
    return consequences[this.code].exitCode;
  }

  get status(): number {
    return consequences[this.code].status;
  }
}

const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === 'string' && Object.hasOwn(consequences, value);

/** An error as a message to another thread. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly problem?: string | undefined;
  readonly remedy?: string | undefined;
  readonly param?: string | undefined;
}

export function plainError(thrown: unknown): PlainError {
  const { code, message, problem, remedy, param } = toSvcError(thrown);
  return { code, message, problem, remedy, param };
}

/**
 * Converts any thrown value to an `SvcError`. Errors of native code have the same `code` strings but another class; file
 * errors of Node.js become IO, everything else INTERNAL.
 */
export function toSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (!(thrown instanceof Error) && !(thrown !== null && typeof thrown === 'object' && 'message' in thrown)) {
    return new SvcError('INTERNAL', String(thrown));
  }
  const { message, code, name, problem = message, remedy, param } = thrown as Error & Partial<PlainError>;
  if (isErrorCode(code)) return new SvcError(code, problem, { cause: thrown, remedy, param });
  if (name === 'AbortError') return new SvcError('CANCELLED', 'canceled', { cause: thrown });
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return new SvcError('IO', message, { cause: thrown });
  return new SvcError('INTERNAL', message, { cause: thrown });
}

/** The message of any thrown value. */
export const messageOf = (thrown: unknown): string => toSvcError(thrown).message;

/** For a promise whose failure changes nothing, or is reported elsewhere. */
export const ignore = (): void => undefined;

/** The result of `work`; undefined if it throws. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
