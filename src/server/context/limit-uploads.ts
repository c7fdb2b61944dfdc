import type { Request, RequestHandler } from 'express';
import { SvcError } from '../../errors.ts';
import { keyOf } from '../http/api-keys.ts';
import { clientAddress } from '../http/client-address.ts';

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
export function limitUploads(most = 8, idleMilliseconds = 10_000): RequestHandler {
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
