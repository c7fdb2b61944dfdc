/** Reads request bodies, within limits. */
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import multer from 'multer';
import { SvcError } from '../../../errors.ts';
import { createPace, yieldToEventLoop } from '../../../event-loop.ts';
import { show } from '../../../messages.ts';
import { invalid } from '../../../validation.ts';
import type { ServerContext } from '../../context.ts';
import { bodyTooLarge, fieldBytes, mostFields, notJson } from '../body-failure.ts';
import { clientAddress } from '../client-address.ts';
import { isLongBesideOneString } from '../one-long-string.ts';
import { keyOf } from './authorize.ts';

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
    ...[refuseLonger(most, isJson, express.text({ limit: most, type: isJson })), parseInTurn(bodyBytes)].map(
      (handler) => onUploads(isUpload, handler),
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

/** Bodies of at most so many bytes are parsed at once. */
const shortBody = 16 * 1024;

/**
 * Refuses a body by its declared length; the parsers would first read all of it. A long body is read in turns with others, as
 * hundreds that arrive together would be parsed in one turn of the event loop.
 */
function refuseLonger(limit: number, isParsed: (request: Request) => unknown, parse: RequestHandler): RequestHandler {
  return (request, response, next) => {
    if (!isParsed(request)) return parse(request, response, next);
    const { 'content-length': declared, 'transfer-encoding': coding } = request.headers;
    if (Number(declared) > limit) throw bodyTooLarge(limit);
    if (coding === undefined && !(Number(declared) > shortBody)) return parse(request, response, next);
    createPace()()
      .then(() => parse(request, response, next))
      .catch(next);
  };
}

/** Ends when the last large body was parsed, and its recording decoded. */
let parsed = Promise.resolve();

/**
 * Parses one large body at a time: each takes 50 ms of the event loop, and again as much when its base64 is decoded.
 *
 * @param most characters besides the recording
 */
const parseInTurn =
  (most: number): RequestHandler =>
  (request, _response, next) => {
    const work = async (): Promise<void> => {
      await yieldToEventLoop();
      if (typeof request.body === 'string') request.body = parseText(request.body, most);
      await yieldToEventLoop();
      next();
    };
    parsed = parsed.then(work).catch(next);
  };

function parseText(text: string, most: number): unknown {
  // Millions of small values would take minutes and gigabytes.
  if (isLongBesideOneString(text, most)) throw bodyTooLarge(most);
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

interface Upload {
  /** Name of the API key, else address. */
  readonly client: string;
  readonly request: Request;
}

/**
 * Limits concurrent uploads, which are held in memory. All routes with uploads share one handler. When all places are
 * taken, a client that has fewer of them gets that of the slowest upload of the one that has most, so that no client can keep
 * the others out.
 */
export function limitUploads(most = 8, idleMilliseconds = idleUploadMilliseconds): RequestHandler {
  /** The oldest first. */
  const uploads = new Set<Upload>();

  function makeRoomFor(client: string): boolean {
    const counts = new Map<string, number>();
    for (const upload of uploads) counts.set(upload.client, (counts.get(upload.client) ?? 0) + 1);
    const [greedy, held] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    if (held <= (counts.get(client) ?? 0) + 1) return false;
    const slowest = [...uploads].find((upload) => upload.client === greedy && !upload.request.complete);
    if (slowest === undefined) return false;
    uploads.delete(slowest);
    slowest.request.destroy();
    return true;
  }

  return (request, response, next) => {
    const client = keyOf(response)?.name ?? clientAddress(request) ?? '';
    if (uploads.size >= most && !makeRoomFor(client))
      throw new SvcError('QUEUE_FULL', `too many uploads at once (the limit is ${most}); retry later`);
    const upload = { client, request };
    uploads.add(upload);
    response.once('close', () => uploads.delete(upload));
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
