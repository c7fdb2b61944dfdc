/** From whatever was thrown to an answer that clients of every dialect understand, without inner details. */
import { MulterError } from 'multer';
import { z } from 'zod';
import { type ErrorCode, SvcError, toSvcError } from '../errors.ts';
import { hidePlaces } from './hide-places.ts';
import type { ServerLimits } from './settings.ts';

/**
 * Whose address or fields a request has. The servers of VoxCPMANE and VoxCPM-ONNX are made with FastAPI, which answers
 * 422 when a field is missing or wrong; the former answers 429 when it is busy.
 */
export type Dialect = 'public' | 'voxcpmane' | 'voxcpm-onnx';

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly type: 'invalid_request_error' | 'authentication_error' | 'permission_error' | 'server_error';
  readonly code: string;
  /** Name of the field that is at fault. */
  readonly param?: string | undefined;
  /** What clients of FastAPI read; the message when left out. */
  readonly detail?: readonly ValidationDetail[] | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fault of one field, as FastAPI reports it. */
export interface ValidationDetail {
  readonly type: 'missing' | 'value_error';
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** What clients see of each code: type and code are those of the public speech API and of the family's native server. */
const names: Readonly<Record<ErrorCode, readonly [Problem['type'], string]>> = {
  INVALID_REQUEST: ['invalid_request_error', 'bad_request'],
  UNSUPPORTED_PARAMETER: ['invalid_request_error', 'unsupported_parameter'],
  UNAUTHORIZED: ['authentication_error', 'invalid_api_key'],
  FORBIDDEN: ['permission_error', 'forbidden'],
  VOICE_NOT_FOUND: ['invalid_request_error', 'voice_not_found'],
  MODEL_NOT_FOUND: ['invalid_request_error', 'model_not_found'],
  CONFLICT: ['invalid_request_error', 'conflict'],
  PAYLOAD_TOO_LARGE: ['invalid_request_error', 'payload_too_large'],
  UNSUPPORTED_AUDIO: ['invalid_request_error', 'unsupported_audio'],
  MODEL_INVALID: ['server_error', 'model_invalid'],
  BACKEND_UNAVAILABLE: ['server_error', 'unavailable'],
  PLAYBACK_UNAVAILABLE: ['server_error', 'playback_unavailable'],
  QUEUE_FULL: ['server_error', 'queue_full'],
  OUT_OF_MEMORY: ['server_error', 'out_of_memory'],
  NETWORK: ['server_error', 'network'],
  CANCELLED: ['server_error', 'cancelled'],
  IO: ['server_error', 'internal'],
  INTERNAL: ['server_error', 'internal'],
};

/** Their messages may hold paths and what libraries say. */
const secret = new Set<ErrorCode>(['INTERNAL', 'IO', 'MODEL_INVALID']);

export interface ProblemOptions {
  readonly dialect?: Dialect | undefined;
  /** Where the fields of the request are. */
  readonly place?: 'body' | 'query';
}

export function problemOf(thrown: unknown, { dialect = 'public', place = 'body' }: ProblemOptions = {}): Problem {
  const error = toSvcError(thrown);
  const [type, code] = names[error.code];
  const message = secret.has(error.code) ? 'the server failed; its log says why' : hidePlaces(oneLine(error.message));
  const problem = { status: error.status, message, type, code, param: error.param };
  if (dialect === 'voxcpmane' && error.code === 'QUEUE_FULL') return { ...problem, status: 429 };
  if (dialect === 'public' || !(error.cause instanceof z.ZodError)) return problem;
  return { ...problem, status: 422, detail: error.cause.issues.map((issue) => detailOf(issue, place)) };
}

const detailOf = ({ path, message, input }: z.core.$ZodIssue, place: string): ValidationDetail => ({
  type: input === undefined ? 'missing' : 'value_error',
  loc: [place, ...path.map((key) => (typeof key === 'number' ? key : String(key)))],
  msg: `expected ${message}`,
});

/** In the words of the public speech API, and under `detail` once more for clients of servers made with FastAPI. */
export const bodyOf = ({ message, type, param = undefined, code, detail }: Problem): object => ({
  error: { message, type, param: param ?? null, code },
  detail: detail ?? message,
});

/** What the libraries that read bodies throw, in our words where it is the client's doing. */
export function explainBodyError(thrown: unknown, limits: ServerLimits): unknown {
  if (thrown instanceof MulterError) return explainFormError(thrown, limits);
  if (!(thrown instanceof Error) || thrown instanceof SvcError) return thrown;
  const { status, type } = thrown as Error & { readonly status?: unknown; readonly type?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    if (type === 'parameters.too.many') return tooManyFields();
    if (type === 'request.aborted') return gone();
    if (status === 413) {
      return new SvcError('PAYLOAD_TOO_LARGE', `the body is larger than the limit of ${size(limits.bodyBytes)}`);
    }
    if (thrown instanceof URIError) return malformed('the address is not well-formed: it has a stray %');
    if (type === 'entity.parse.failed') return malformed(`the body is not valid JSON${positionIn(thrown.message)}`);
    return malformed(`the body cannot be read: ${oneLine(thrown.message)}`);
  }
  // The parser of forms; it has no error class of its own.
  if (/^Request (aborted|closed)$/.test(thrown.message)) return gone();
  if (/^(Multipart: |Unexpected end of form|Malformed )/.test(thrown.message)) {
    return malformed(`the form is not well-formed: ${oneLine(thrown.message)}`);
  }
  return thrown;
}

function explainFormError({ code, field, message }: MulterError, { uploadBytes }: ServerLimits): SvcError {
  const param = field === undefined ? {} : { param: field };
  const shown = JSON.stringify(field?.slice(0, 40) ?? '');
  switch (code) {
    case 'LIMIT_FILE_SIZE':
      return new SvcError(
        'PAYLOAD_TOO_LARGE',
        `the file ${shown} is larger than the limit of ${size(uploadBytes)}`,
        param,
      );
    case 'LIMIT_FIELD_VALUE':
      return new SvcError(
        'PAYLOAD_TOO_LARGE',
        `the field ${shown} is longer than the limit of ${size(fieldBytes)}`,
        param,
      );
    case 'LIMIT_UNEXPECTED_FILE':
    case 'LIMIT_FILE_COUNT':
      return new SvcError(
        'INVALID_REQUEST',
        `the form has an unexpected file ${shown}; it may have one recording`,
        param,
      );
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
      return tooManyFields();
    default:
      return malformed(`the form is not well-formed: ${oneLine(message)}`);
  }
}

/** Of forms: bytes of a field, and how many fields there may be. */
export const fieldBytes = 64 * 1024;
export const mostFields = 32;

const malformed = (message: string): SvcError => new SvcError('INVALID_REQUEST', message);

const tooManyFields = (): SvcError => malformed(`the form has more fields than the limit of ${mostFields}`);

/** The rest of the parser's message may quote the body. */
const positionIn = (message: string): string => {
  const [position] = /at position \d+/.exec(message) ?? [];
  return position === undefined ? '' : ` (${position})`;
};

const gone = (): SvcError => new SvcError('CANCELLED', 'the client has gone');

const size = (bytes: number): string =>
  bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;

const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
