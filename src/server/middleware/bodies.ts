/** Reads request bodies, within limits. */
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import multer from 'multer';
import { SvcError } from '../../errors.ts';
import { nextTurn } from '../../next-turn.ts';
import { invalid, show } from '../../validation.ts';
import { bodyTooLarge, fieldBytes, mostFields, notJson } from '../body-failure.ts';
import type { ServerContext } from '../context.ts';

/** A JSON object of any content type, as VoxCPM.cpp's server accepts it, so that `curl -d` suffices. */
export const jsonBody = ({ settings: { limits } }: ServerContext): readonly RequestHandler[] => [
  parseJson(limits.bodyBytes),
  requireObject,
];

/** Growth of base64 in JSON by escaped slashes and ends of lines. */
const escaped = 1.05;

/** A JSON object that may hold a recording: one that is larger than others counts as an upload. */
export function jsonWithRecording(context: ServerContext, limitUploads: RequestHandler): readonly RequestHandler[] {
  const { bodyBytes, uploadBytes } = context.settings.limits;
  const isUpload: IsUpload = ({ headers }) => Number(headers['content-length']) > bodyBytes;
  const most = Math.ceil(uploadBytes * (4 / 3) * escaped) + bodyBytes;
  return [
    ...[requireRoom(context), limitUploads].map((handler) => onUploads(isUpload, handler)),
    onUploads((request) => !isUpload(request), parseJson(bodyBytes)),
    ...[refuseLonger(most, isJson, express.text({ limit: most, type: isJson })), parseInTurn].map((handler) =>
      onUploads(isUpload, handler),
    ),
    requireObject,
    (request, _response, next) => {
      const recording = textOf(request.body?.ref_audio);
      if (Number(request.headers['content-length']) - recording.length * escaped > bodyBytes)
        throw bodyTooLarge(bodyBytes);
      next();
    },
  ];
}

/** Of a string, or an array of one. */
const textOf = (value: unknown): string => {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === 'string' ? first : '';
};

type IsUpload = (request: Request) => boolean;

/** Applies a limit of uploads to those requests that are uploads. */
export const onUploads =
  (isUpload: IsUpload, handler: RequestHandler): RequestHandler =>
  (request, response, next) =>
    isUpload(request) ? handler(request, response, next) : next();

const isJson = ({ headers }: IncomingMessage): boolean =>
  !/^\s*multipart\/form-data/i.test(headers['content-type'] ?? '');

const parseJson = (limit: number): RequestHandler =>
  refuseLonger(limit, isJson, express.json({ limit, strict: false, type: isJson }));

/** Refuses a body by its declared length; the parsers would first read all of it. */
function refuseLonger(limit: number, isParsed: (request: Request) => unknown, parse: RequestHandler): RequestHandler {
  return (request, response, next) => {
    if (isParsed(request) && Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit);
    parse(request, response, next);
  };
}

/** Ends when the last large body was parsed, and its recording decoded. */
let parsed = Promise.resolve();

/** Parses one large body at a time: each takes 50 ms of the event loop, and again as much when its base64 is decoded. */
const parseInTurn: RequestHandler = (request, _response, next) => {
  const work = async (): Promise<void> => {
    await nextTurn();
    if (typeof request.body === 'string') request.body = parseText(request.body);
    await nextTurn();
    next();
  };
  parsed = parsed.then(work).catch(next);
};

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error as Error);
  }
}

const requireObject: RequestHandler = ({ body }, _response, next) => {
  const isObject = body === undefined || (typeof body === 'object' && body !== null && !Array.isArray(body));
  if (!isObject) throw invalid('a JSON object', 'the body', show(body));
  next();
};

export const urlencodedBody = ({ settings: { limits } }: ServerContext): RequestHandler =>
  refuseLonger(
    limits.bodyBytes,
    (request) => request.is('urlencoded'),
    express.urlencoded({ limit: limits.bodyBytes, extended: false, parameterLimit: mostFields }),
  );

/** A form with at most one file, in `field`, kept in memory and never on disk; a second one is refused before it is read. */
export const formBody = ({ settings: { limits } }: ServerContext, field: string): RequestHandler =>
  multer({
    storage: multer.memoryStorage(),
    limits: {
      files: 2,
      fileSize: limits.uploadBytes,
      fields: mostFields,
      fieldSize: fieldBytes,
      parts: mostFields + 2,
      headerPairs: 20,
    },
  }).single(field);

/** Refuses a request before its large body is read when the queue is full. */
export const requireRoom =
  ({ queue }: ServerContext): RequestHandler =>
  (_request, _response, next) => {
    queue.assertRoom();
    next();
  };

/** Time limit for an upload without progress. */
const idleUploadMilliseconds = 10_000;

/** Limits concurrent uploads, which are held in memory. All routes with uploads share one handler. */
export function limitUploads(most = 8, idleMilliseconds = idleUploadMilliseconds): RequestHandler {
  let current = 0;
  return (request, response, next) => {
    if (current >= most)
      throw new SvcError('QUEUE_FULL', `too many uploads at once (the limit is ${most}); retry later`);
    current += 1;
    response.once('close', () => {
      current -= 1;
    });
    request.setTimeout(idleMilliseconds, () => request.destroy());
    request.once('end', () => request.setTimeout(0));
    next();
  };
}

/** Requires a multipart form. @throws SvcError INVALID_REQUEST */
export const requireForm: RequestHandler = (request, _response, next) => {
  if (request.is('multipart/form-data')) return next();
  const given = request.get('Content-Type');
  throw invalid('multipart/form-data', 'the content type', show(given));
};
