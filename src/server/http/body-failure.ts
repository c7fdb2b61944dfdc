/** Maps errors of the body parsers to `SvcError`. */
import { MulterError } from 'multer';
import { SvcError } from '../../errors.ts';
import { oneLine, shorten, show } from '../../messages.ts';
import { requestError } from '../../validation.ts';

/** Limits of forms: bytes per field, number of fields. */
export const fieldBytes = 64 * 1024;
export const mostFields = 32;

export interface BodyLimits {
  readonly bodyBytes: number;
  readonly uploadBytes: number;
}

const longestReason = 200;

/** @returns an SvcError for errors that the client caused; any other error unchanged */
export function explainBodyError(thrown: unknown, limits: BodyLimits): unknown {
  if (thrown instanceof MulterError) return explainFormError(thrown, limits);
  if (!(thrown instanceof Error) || thrown instanceof SvcError) return thrown;
  const { status, type } = thrown as Error & { readonly status?: unknown; readonly type?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    if (type === 'parameters.too.many') return tooManyFields();
    if (type === 'request.aborted') return gone();
    if (status === 413) {
      const { limit = limits.bodyBytes } = thrown as { readonly limit?: number };
      return bodyTooLarge(limit);
    }
    if (thrown instanceof URIError) return requestError('the URL is malformed: it contains a stray %');
    if (type === 'entity.parse.failed') return notJson(thrown);
    if (type === 'entity.verify.failed') return requestError('the body is not valid UTF-8');
    if (status === 415) return unsupported(type, thrown);
    return requestError(`the body cannot be read: ${oneLine(shorten(thrown.message, longestReason))}`);
  }
  // The form parser has no error class of its own.
  if (/^Request (aborted|closed)$/.test(thrown.message)) return gone();
  if (/^(Multipart: |Unexpected end of form|Malformed |Unsupported content type)/.test(thrown.message)) {
    return requestError(`the form is malformed: ${oneLine(shorten(thrown.message, longestReason))}`);
  }
  return thrown;
}

function explainFormError({ code, field, message }: MulterError, { uploadBytes }: BodyLimits): SvcError {
  const shown = JSON.stringify(field?.slice(0, 40) ?? '');
  switch (code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge(field ?? '', uploadBytes);
    case 'LIMIT_FIELD_VALUE':
      return payloadError(`the field ${shown} is longer than the limit of ${size(fieldBytes)}`, field);
    case 'LIMIT_UNEXPECTED_FILE':
      return requestError(`unexpected file ${shown} in the form; send one recording`, field);
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
      return tooManyFields();
    default:
      return requestError(`the form is malformed: ${oneLine(message)}`);
  }
}

/** @param message of `JSON.parse` */
export const notJson = ({ message }: Error): SvcError =>
  requestError(`the body is not valid JSON${positionIn(message)}`);

const payloadError = (message: string, param?: string): SvcError =>
  new SvcError('PAYLOAD_TOO_LARGE', message, { param });

export const bodyTooLarge = (most: number): SvcError =>
  payloadError(`the body is larger than the limit of ${size(most)}`);

export const tooLarge = (field: string, most: number): SvcError =>
  payloadError(`the file ${show(field)} is larger than the limit of ${size(most)}`, field);

/** @param type says of what: the encoding of the content or of its characters */
function unsupported(type: unknown, thrown: Error): SvcError {
  const { encoding, charset } = thrown as Error & { readonly encoding?: string; readonly charset?: string };
  const [what, known] =
    type === 'encoding.unsupported'
      ? [`content encoding ${show(encoding)}`, 'gzip, deflate, br or none']
      : [`charset ${show(charset)}`, 'UTF-8'];
  return new SvcError('UNSUPPORTED_MEDIA_TYPE', `the body has the unsupported ${what}; send ${known}`);
}

const tooManyFields = (): SvcError => requestError(`the form has more than ${mostFields} fields`);

/** Only the position: the rest of the parser's message may quote what it read. */
export const positionIn = (message: string): string => {
  const [position] = /at position \d+/.exec(message) ?? [];
  return position === undefined ? '' : ` (${position})`;
};

export const gone = (): SvcError => new SvcError('CANCELLED', 'the client disconnected');

const size = (bytes: number): string =>
  bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
