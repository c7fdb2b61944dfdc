/** Bodies of requests, within limits. */
import express, { type RequestHandler } from 'express';
import multer from 'multer';
import { SvcError } from '../../errors.ts';
import { fieldBytes, mostFields } from '../body-failure.ts';
import type { ServerContext } from '../context.ts';

/** JSON, whatever the client calls it: as the native server has it, so that `curl -d` alone will do. */
export const jsonBody = ({ settings: { limits } }: ServerContext): RequestHandler =>
  express.json({
    limit: limits.bodyBytes,
    type: ({ headers }) => !/^\s*multipart\/form-data/i.test(headers['content-type'] ?? ''),
  });

export const urlencodedBody = ({ settings: { limits } }: ServerContext): RequestHandler =>
  express.urlencoded({ limit: limits.bodyBytes, extended: false, parameterLimit: mostFields });

/** A form with at most one file, `field`, which is kept in memory; nothing of it touches the disk. */
export const formBody = ({ settings: { limits } }: ServerContext, field: string): RequestHandler =>
  multer({
    storage: multer.memoryStorage(),
    limits: {
      files: 1,
      fileSize: limits.uploadBytes,
      fields: mostFields,
      fieldSize: fieldBytes,
      parts: mostFields + 1,
      headerPairs: 20,
    },
  }).single(field);

/** Before a large body is read: no work for a request that will be refused. */
export const requireRoom =
  ({ queue }: ServerContext): RequestHandler =>
  (_request, _response, next) => {
    queue.assertRoom();
    next();
  };

/** How long an upload may stand still while it holds a place. */
const idleUploadMilliseconds = 10_000;

/** Uploads are held in memory until they are done with. One handler for all routes that take some. */
export function limitUploads(most = 8, idleMilliseconds = idleUploadMilliseconds): RequestHandler {
  let current = 0;
  return (request, response, next) => {
    if (current >= most)
      throw new SvcError('QUEUE_FULL', `expected fewer than ${most} uploads at once, received one more`);
    current += 1;
    response.once('close', () => {
      current -= 1;
    });
    request.setTimeout(idleMilliseconds, () => request.destroy());
    request.once('end', () => request.setTimeout(0));
    next();
  };
}

/** @throws SvcError INVALID_REQUEST, by the middleware */
export const requireForm: RequestHandler = (request, _response, next) => {
  if (request.is('multipart/form-data')) return next();
  const received = request.get('Content-Type') ?? 'none';
  throw new SvcError(
    'INVALID_REQUEST',
    `expected multipart/form-data for the content type, received ${received.slice(0, 80)}`,
  );
};
