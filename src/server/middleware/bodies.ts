/** Reads request bodies, within limits. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import multer, { type StorageEngine } from 'multer';
import { createPace, yieldToEventLoop } from '../../event-loop.ts';
import { show } from '../../messages.ts';
import { invalid, requestError } from '../../validation.ts';
import type { ServerContext } from '../context/context.ts';
import type { ServerLimits } from '../context/settings.ts';
import { bodyTooLarge, fieldBytes, mostFields, notJson } from '../http/body-failure.ts';
import { isLongBesideOneString } from '../http/one-long-string.ts';
import { readTextBody, type TextBodyLimits } from '../http/text-body.ts';
import { encodingOf, nameCharset, statedEncoding } from './charset.ts';

/** A JSON object of any content type, as VoxCPM.cpp's server accepts it, so that `curl -d` suffices. */
export const jsonBody = ({ settings: { limits } }: ServerContext): readonly RequestHandler[] => [
  ...parseJson(limits.bodyBytes),
  requireObject,
];

type RecordingsIn = (body: Readonly<Record<string, unknown>>) => readonly unknown[];

export const fieldsOf =
  (...names: readonly string[]): RecordingsIn =>
  (body) =>
    names.map((name) => body[name]);

/** Growth of base64 in JSON by escaped slashes and ends of lines. */
const escaped = 1.05;

/** A JSON object that may hold a recording: one that is larger than others counts as an upload. */
export function jsonWithRecording(
  context: ServerContext,
  recordingsIn: RecordingsIn = fieldsOf('ref_audio', 'prompt_audio'),
): readonly RequestHandler[] {
  const { bodyBytes, uploadBytes } = context.settings.limits;
  const isUpload: IsUpload = ({ headers }) => Number(headers['content-length']) > bodyBytes;
  const most = Math.ceil(uploadBytes * (4 / 3) * escaped) + bodyBytes;
  const readLong = readLongText({ bytes: most, besideOneString: bodyBytes });
  return [
    refuseForms,
    onUploads(isUpload, admitUpload(context)),
    ...parseJson(bodyBytes).map((handler) => onUploads((request) => !isUpload(request), handler)),
    ...[nameCharset(), refuseLonger(most, isJson, readLong), parseInTurn].map((handler) =>
      onUploads(isUpload, handler),
    ),
    requireObject,
    (request, _response, next) => {
      const recordings = recordingsIn(request.body ?? {}).reduce<number>((sum, one) => sum + textOf(one).length, 0);
      if (Number(request.headers['content-length']) - recordings * escaped > bodyBytes) throw bodyTooLarge(bodyBytes);
      next();
    },
  ];
}

/** Text of a string, or of an array of one. */
const textOf = (value: unknown): string => {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === 'string' ? first : '';
};

type IsUpload = (request: Request) => boolean;

export const onUploads =
  (isUpload: IsUpload, handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    isUpload(request) ? handler(request, response, next) : next();

const isJson = ({ headers }: IncomingMessage): boolean =>
  !/^\s*multipart\/form-data/i.test(headers['content-type'] ?? '');

/** The parser of JSON takes Unicode alone; a body that states another encoding, such as `us-ascii`, is read as text first. */
function parseJson(limit: number): readonly RequestHandler[] {
  const isOther = (request: IncomingMessage): boolean =>
    isJson(request) && statedEncoding(request.headers['content-type'])?.startsWith('utf-') === false;
  const isUnicode = (request: IncomingMessage): boolean => isJson(request) && !isOther(request);
  return [
    nameCharset(),
    refuseLonger(limit, isUnicode, express.json({ limit, strict: false, type: isUnicode, verify: requireUtf8 })),
    refuseLonger(limit, isOther, express.text({ limit, type: isOther, verify: requireUtf8 })),
    (request, _response, next) => {
      const { body } = request;
      if (!isOther(request) || typeof body !== 'string') return next();
      // Millions of small values would take minutes and gigabytes.
      if (isLongBesideOneString(body, limit)) throw bodyTooLarge(limit);
      request.body = parseJsonText(body);
      next();
    },
  ];
}

/** The parsers would replace what is not UTF-8, and speak other words than were sent. */
function requireUtf8(_request: IncomingMessage, _response: ServerResponse, bytes: Buffer, encoding: string): void {
  if (/^utf-?8$/i.test(encoding) && !isUtf8(bytes)) throw new Error('invalid UTF-8');
}

/** Bodies of at most so many bytes are parsed at once. */
const shortBody = 16 * 1024;

/**
 * Refuses a body by its declared length; the parsers would first read all of it. A long body is read in turns with others, as
 * hundreds that arrive together would be parsed in one turn of the event loop.
 */
function refuseLonger(limit: number, isParsed: (request: Request) => unknown, parse: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    const { 'content-length': declared, 'transfer-encoding': coding } = request.headers;
    if (isParsed(request)) {
      if (Number(declared) > limit) throw bodyTooLarge(limit);
      if (coding !== undefined || Number(declared) > shortBody) await createPace()();
    }
    await parse(request, response, next);
  };
}

/** Ends when the last large body was parsed, and its recording decoded. */
let parsed = Promise.resolve();

/** Reads a large body as text, of which requests without one have none. */
const readLongText =
  (limits: TextBodyLimits): RequestHandler =>
  async (request, _response, next) => {
    if (isJson(request)) {
      request.body = await readTextBody(request, encodingOf(request.headers['content-type']), limits);
    }
    next();
  };

/** Parses one large body at a time: each takes 50 ms of the event loop, and again as much when its base64 is decoded. */
const parseInTurn: RequestHandler = (request, _response, next) => {
  const work = async (): Promise<void> => {
    await yieldToEventLoop();
    if (typeof request.body === 'string') request.body = parseJsonText(request.body);
    await yieldToEventLoop();
    next();
  };
  parsed = parsed.then(work).catch(next);
};

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error as Error);
  }
}

/** Nothing would read a form where a JSON object is expected: each of its fields would be missing. */
const refuseForms: RequestHandler = (request, _response, next) => {
  if (request.is('multipart/form-data')) throw requestError('the body must be a JSON object, got a form');
  next();
};

const requireObject: RequestHandler = ({ body }, _response, next) => {
  const isObject = body === undefined || (typeof body === 'object' && body !== null && !Array.isArray(body));
  if (!isObject) throw invalid('a JSON object', 'the body', show(body));
  next();
};

export const urlencodedBody = ({ settings: { limits } }: ServerContext): readonly RequestHandler[] => [
  nameCharset((encoding) => (encoding === 'windows-1252' ? 'iso-8859-1' : encoding)),
  refuseLonger(
    limits.bodyBytes,
    (request) => request.is('urlencoded'),
    express.urlencoded({ limit: limits.bodyBytes, extended: false, parameterLimit: mostFields }),
  ),
];

const formLimits = ({ uploadBytes }: ServerLimits, files: number) => ({
  files,
  fileSize: uploadBytes,
  fields: mostFields,
  fieldSize: fieldBytes,
  parts: mostFields + files,
  headerPairs: 20,
});

/** A form with at most one file, in one of these fields, kept in memory; a second one of the field is refused before it is read. */
export function formBody({ settings: { limits } }: ServerContext, ...fields: readonly string[]): RequestHandler {
  const read = multer({ storage: multer.memoryStorage(), limits: formLimits(limits, 2) }).fields(
    fields.map((name) => ({ name, maxCount: 1 })),
  );
  return (request, response, next) =>
    read(request, response, (error?: unknown) => {
      if (error) return next(error);
      const files = filesOf(request);
      if (files.length > 1) return next(requestError(`send one recording, in ${fields.join(' or ')}`, fields[0]));
      [request.file] = files;
      next();
    });
}

/** A form with a recording in one of these fields, which counts as an upload. */
export const uploadBody = (context: ServerContext, ...fields: readonly string[]): readonly RequestHandler[] => [
  admitUpload(context),
  requireForm,
  formBody(context, ...fields),
];

/** A form of which only the first file is kept, in memory; how many were dropped is in `response.locals.droppedFiles`. */
export function firstFile(
  { settings: { limits } }: ServerContext,
  fields: readonly string[],
  most: number,
): RequestHandler {
  const memory = multer.memoryStorage();
  return (request, response, next) => {
    let files = 0;
    const storage: StorageEngine = {
      _handleFile(request, file, done) {
        files += 1;
        if (files === 1) return memory._handleFile(request, file, done);
        file.stream.once('end', () => done(null, { size: 0 })).resume();
      },
      _removeFile: (request, file, done) => memory._removeFile(request, file, done),
    };
    const read = multer({ storage, limits: formLimits(limits, most) }).fields(fields.map((name) => ({ name })));
    read(request, response, (error?: unknown) => {
      if (error) return next(error);
      request.file = filesOf(request).find(({ buffer }) => buffer !== undefined);
      response.locals.droppedFiles = Math.max(0, files - 1);
      next();
    });
  };
}

const filesOf = ({ files }: Request): readonly Express.Multer.File[] => Object.values(files ?? {}).flat();

export const admitUpload =
  ({ queue, limitUploads }: ServerContext): RequestHandler =>
  (request, response, next) => {
    queue.assertRoom();
    limitUploads(request, response, next);
  };

export const requireForm: RequestHandler = (request, _response, next) => {
  if (request.is('multipart/form-data')) return next();
  const given = request.get('Content-Type');
  throw invalid('multipart/form-data', 'the content type', show(given));
};
