/** Maps errors to answers that clients of every dialect understand, without internal details. */
import { z } from 'zod';
import { type ErrorCode, toSvcError } from '../../errors.ts';
import { oneLine } from '../../messages.ts';
import { expectedBy } from '../../validation.ts';
import { redactPaths } from './redact-paths.ts';

export interface ErrorStyle {
  /** Header by which its clients send API keys; who sends it gets these errors at any endpoint. */
  readonly keyHeader?: string;
  /** Status when the server is busy; default: 503. */
  readonly busyStatus?: number;
  /** Status of requests with missing or wrong fields, which `detail` then lists as FastAPI does. */
  readonly fieldsStatus?: number;
  /** `detail` of the body; default: the message. */
  readonly detail?: (code: string, message: string) => object;
}

export const fastApiErrors: ErrorStyle = { fieldsStatus: 422 };

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly type:
    | 'invalid_request_error'
    | 'authentication_error'
    | 'permission_error'
    | 'rate_limit_error'
    | 'server_error';
  readonly code: string;
  readonly param?: string | undefined;
  /** For clients of FastAPI servers; by default the message. */
  readonly detail?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Type and code of each error for clients, as in the public speech API and VoxCPM.cpp's server. */
const names: Readonly<Record<ErrorCode, readonly [Problem['type'], string]>> = {
  INVALID_REQUEST: ['invalid_request_error', 'bad_request'],
  UNSUPPORTED_PARAMETER: ['invalid_request_error', 'unsupported_parameter'],
  UNAUTHORIZED: ['authentication_error', 'invalid_api_key'],
  FORBIDDEN: ['permission_error', 'forbidden'],
  VOICE_NOT_FOUND: ['invalid_request_error', 'voice_not_found'],
  MODEL_NOT_FOUND: ['invalid_request_error', 'model_not_found'],
  CONSENT_NOT_FOUND: ['invalid_request_error', 'consent_not_found'],
  CONFLICT: ['invalid_request_error', 'conflict'],
  PAYLOAD_TOO_LARGE: ['invalid_request_error', 'payload_too_large'],
  UNSUPPORTED_AUDIO: ['invalid_request_error', 'unsupported_audio'],
  UNSUPPORTED_MEDIA_TYPE: ['invalid_request_error', 'unsupported_media_type'],
  MODEL_INVALID: ['server_error', 'model_invalid'],
  BACKEND_UNAVAILABLE: ['server_error', 'unavailable'],
  DEVICE_LOST: ['server_error', 'device_lost'],
  PLAYBACK_UNAVAILABLE: ['server_error', 'playback_unavailable'],
  QUEUE_FULL: ['server_error', 'queue_full'],
  DEADLINE_EXCEEDED: ['server_error', 'deadline_exceeded'],
  RATE_LIMITED: ['rate_limit_error', 'rate_limit_exceeded'],
  OUT_OF_MEMORY: ['server_error', 'out_of_memory'],
  NETWORK: ['server_error', 'network'],
  CANCELLED: ['server_error', 'cancelled'],
  IO: ['server_error', 'internal'],
  INTERNAL: ['server_error', 'internal'],
};

/** Addresses of services that this server uses, such as a recognizer, whose errors may name others. */
const addresses = /\bhttps?:\/\/[^\s"'),;]+/gi;
const withoutAddresses = (code: ErrorCode, message: string): string =>
  code === 'NETWORK' ? message.replace(addresses, '…') : message;

/** Codes whose messages may contain paths or library details. */
const secret = new Set<ErrorCode>(['INTERNAL', 'IO', 'MODEL_INVALID']);

/** In UTF-16 code units. Values are quoted with a bound; this is for what libraries quote. */
const longestMessage = 4000;

/** Resources that a machine has run out of, by the code of the error of the system, without the place. */
const exhausted: Readonly<Record<string, readonly [code: string, message: string] | undefined>> = {
  __proto__: null as never,
  ENOSPC: ['disk_full', 'the disk of the server is full; retry later'],
  SQLITE_FULL: ['disk_full', 'the disk of the server is full; retry later'],
  EDQUOT: ['disk_full', 'the disk quota of the server is used up; retry later'],
  EMFILE: ['too_many_open_files', 'the server has reached its limit of open files; retry later'],
  ENFILE: ['too_many_open_files', 'the machine of the server has reached its limit of open files; retry later'],
};

const mostCauses = 8;

/** The code and message for clients of an error whose cause is that the machine has run out of something. */
export function exhaustionOf(error: Error): readonly [code: string, message: string] | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < mostCauses && cause instanceof Error; depth += 1) {
    const found = exhausted[String((cause as NodeJS.ErrnoException).code)];
    if (found !== undefined) return found;
    cause = cause.cause;
  }
  return undefined;
}

/** @param place location of the request's fields */
export function problemOf(thrown: unknown, style: ErrorStyle = {}, place: 'body' | 'query' = 'body'): Problem {
  const error = toSvcError(thrown);
  const lack = exhaustionOf(error);
  if (lack !== undefined) {
    const [code, message] = lack;
    return { status: 503, message, type: 'server_error', code, detail: style.detail?.(code, message) };
  }
  const [type, code] = names[error.code];
  const message = secret.has(error.code)
    ? 'internal error; see the log of the server'
    : redactPaths(oneLine(withoutAddresses(error.code, error.message.slice(0, longestMessage))));
  const status = (error.code === 'QUEUE_FULL' && style.busyStatus) || error.status;
  const problem = { status, message, type, code, param: error.param, detail: style.detail?.(code, message) };
  if (style.fieldsStatus === undefined || !(error.cause instanceof z.ZodError)) return problem;
  return { ...problem, status: style.fieldsStatus, detail: error.cause.issues.map((issue) => detailOf(issue, place)) };
}

/** A validation error of one field, as FastAPI reports it. */
const detailOf = (issue: z.core.$ZodIssue, place: string) => ({
  type: issue.input === undefined ? 'missing' : 'value_error',
  loc: [place, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))],
  msg: issue.input === undefined ? 'field required' : `must be ${expectedBy(issue)}`,
});

/** Error body of the public speech API; `detail` repeats it for clients of FastAPI servers. */
export const bodyOf = ({ message, type, param = undefined, code, detail }: Problem): object => ({
  error: { message, type, param: param ?? null, code },
  detail: detail ?? message,
});
