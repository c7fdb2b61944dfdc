/** Files in buckets of S3 and stores that speak its protocol, named by addresses such as `s3://bucket/folder/file.wav`. */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { throwIfCanceled } from '../cancellation.ts';
import { messageOf, SvcError } from '../errors.ts';
import { reasonOf } from '../files/file-system.ts';
import { quote, sanitizeLine } from '../messages.ts';
import { loadOptional } from '../package/optional-package.ts';
import { type Environment, invalid, variableOf } from '../validation.ts';

export interface ObjectStore {
  /** Size in bytes; undefined if there is no such object. @throws SvcError IO */
  size(url: string): Promise<number | undefined>;
  /**
   * Uploads the bytes that a file has now, in several parts if there are many. The object appears when it is complete.
   *
   * @throws SvcError IO, CANCELLED
   */
  upload(path: string, url: string, options: UploadOptions): Promise<void>;
  /** @throws SvcError IO */
  download(url: string, path: string, signal: AbortSignal): Promise<void>;
}

export interface UploadOptions {
  readonly signal: AbortSignal;
  readonly mimeType?: string | undefined;
}

/** Attempts at a call that the network or the store fails. */
const attempts = 5;

const pattern = /^s3:\/\/(?<bucket>[a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/(?<key>.*))?$/is;

export const isObjectUrl = (path: string): boolean => /^s3:/i.test(path);

/** The address of a folder without a slash at its end. @throws SvcError INVALID_REQUEST */
export function parseFolderUrl(text: string, flag: string): string {
  const { bucket, key = '' } = pattern.exec(text)?.groups ?? {};
  if (bucket === undefined) throw invalid('a folder, or a bucket such as s3://bucket/prefix', flag, quote(text));
  return `s3://${bucket}/${key}`.replace(/\/+$/, '');
}

function placeOf(url: string): { readonly Bucket: string; readonly Key: string } {
  const { bucket = '', key = '' } = pattern.exec(url)?.groups ?? {};
  return { Bucket: bucket, Key: key };
}

/**
 * Loads the SDK with the first call. Credentials come from where the SDK looks for them: variables, files, the machine.
 *
 * @param environment `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` names another store than Amazon's, whose buckets are
 *   then parts of the path; `AWS_REGION` is needed only without
 */
export function createObjectStore(environment: Environment): ObjectStore {
  let opening: ReturnType<typeof open> | undefined;

  async function open() {
    const [s3, { Upload }] = await loadOptional('writing to S3', () =>
      Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]),
    );
    const endpoint = variableOf(environment, 'AWS_ENDPOINT_URL_S3') ?? variableOf(environment, 'AWS_ENDPOINT_URL');
    const elsewhere = endpoint && {
      ...{ endpoint, region: variableOf(environment, 'AWS_REGION') ?? 'us-east-1', forcePathStyle: true },
      // Other stores may not know the checksums that the SDK adds.
      requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    };
    const client = new s3.S3Client({ maxAttempts: attempts, ...(elsewhere || {}) });
    return { s3, Upload, client };
  }

  /** `what` begins the message of a failure. */
  async function attempt<Result>(what: string, work: (sdk: Awaited<ReturnType<typeof open>>) => Promise<Result>) {
    try {
      opening ??= open();
      return await work(await opening);
    } catch (thrown) {
      if (thrown instanceof SvcError) throw thrown;
      throw new SvcError('IO', `${what}: ${failureOf(thrown)}`, { cause: thrown });
    }
  }

  return {
    size: (url) =>
      attempt(`cannot read ${url}`, async ({ s3, client }) => {
        try {
          return (await client.send(new s3.HeadObjectCommand(placeOf(url)))).ContentLength;
        } catch (thrown) {
          if (statusOf(thrown) === 404) return undefined;
          throw thrown;
        }
      }),
    upload: (path, url, { signal, mimeType }) =>
      attempt(`cannot write ${url}`, async ({ Upload, client }) => {
        const { size } = await stat(path);
        throwIfCanceled(signal);
        // A file may grow meanwhile.
        const Body = size === 0 ? '' : createReadStream(path, { end: size - 1 });
        const params = { ...placeOf(url), Body, ...(mimeType === undefined ? {} : { ContentType: mimeType }) };
        const upload = new Upload({ client, params });
        const stop = (): void => void upload.abort();
        signal.addEventListener('abort', stop, { once: true });
        try {
          await upload.done();
        } catch (thrown) {
          throwIfCanceled(signal);
          throw thrown;
        } finally {
          signal.removeEventListener('abort', stop);
        }
      }),
    download: (url, path, signal) =>
      attempt(`cannot read ${url}`, async ({ s3, client }) => {
        const { Body } = await client.send(new s3.GetObjectCommand(placeOf(url)), { abortSignal: signal });
        await pipeline(Body as Readable, createWriteStream(path), { signal });
      }),
  };
}

const statusOf = (thrown: unknown): number | undefined =>
  (thrown as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode;

/** One line. The response to `HEAD` has no body with the reason. */
function failureOf(thrown: unknown): string {
  const status = statusOf(thrown);
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return failureOf(thrown.errors[0]);
  if (messageOf(thrown) === 'Region is missing') return 'the region is missing; set AWS_REGION';
  if (status === undefined) return sanitizeLine(reasonOf(thrown));
  const message = messageOf(thrown);
  const reason = status === 403 && message === 'UnknownError' ? 'access denied' : sanitizeLine(message);
  return `${reason} (status ${status})`;
}
