/** From whatever was thrown to an answer that a client of the public speech API understands, without inner details. */
import { MulterError } from 'multer';
import { type ErrorCode, SvcError, toSvcError } from '../errors.ts';

export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly type: 'invalid_request_error' | 'authentication_error' | 'permission_error' | 'server_error';
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What clients see of each code: type and code are those of the public speech API and of the family's native server. */
const names: Readonly<Record<ErrorCode, readonly [Problem['type'], string]>> = {
  INVALID_REQUEST: ['invalid_request_error', 'bad_request'],
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

export function problemOf(thrown: unknown): Problem {
  const error = toClientError(thrown) ?? toSvcError(thrown);
  const [type, code] = names[error.code];
  const message = secret.has(error.code) ? 'the server failed; its log says why' : oneLine(error.message);
  return { status: error.status, message, type, code };
}

export const bodyOf = ({ message, type, code }: Problem): object => ({ error: { message, type, code } });

/** What the libraries that read bodies throw, which is the client's doing. */
function toClientError(thrown: unknown): SvcError | undefined {
  if (thrown instanceof MulterError) {
    const code = thrown.code === 'LIMIT_FILE_SIZE' ? 'PAYLOAD_TOO_LARGE' : 'INVALID_REQUEST';
    const field = thrown.field === undefined ? '' : ` (${thrown.field})`;
    return new SvcError(code, `expected a form within the limits for the request, received: ${thrown.message}${field}`);
  }
  if (!(thrown instanceof Error) || thrown instanceof SvcError) return undefined;
  const { status, type } = thrown as Error & { readonly status?: unknown; readonly type?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    if (type === 'parameters.too.many') {
      const expected = 'expected a form within the limits for the request';
      return new SvcError('INVALID_REQUEST', `${expected}, received: Too many fields`);
    }
    if (type === 'request.aborted') return gone();
    if (status === 413)
      return new SvcError('PAYLOAD_TOO_LARGE', 'expected a smaller body for the request, received more');
    if (thrown instanceof URIError)
      return new SvcError('INVALID_REQUEST', 'expected a well-formed address for the request, received another');
    const received = type === 'entity.parse.failed' ? 'something else' : oneLine(thrown.message);
    return new SvcError('INVALID_REQUEST', `expected a well-formed body for the request, received ${received}`);
  }
  // The parser of forms; it has no error class of its own.
  if (/^Request (aborted|closed)$/.test(thrown.message)) return gone();
  if (/^(Multipart: |Unexpected end of form|Malformed )/.test(thrown.message)) {
    return new SvcError('INVALID_REQUEST', `expected a well-formed form for the request, received: ${thrown.message}`);
  }
  return undefined;
}

const gone = (): SvcError => new SvcError('CANCELLED', 'the client has gone');

const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
