/** A file of API keys: JSON, an object of settings by name, read again whenever it changes. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { messageOf, SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';
import { quote } from '../../messages.ts';
import { numberIn, parse, requestError } from '../../validation.ts';
import { digestOf, type FindKey, findAmong, isKey, type KeyLimits, limitRanges, type StoredKey } from './api-keys.ts';
import { positionIn } from './body-failure.ts';
import { watchFiles } from './watch-files.ts';

const entry = z.strictObject({
  // Checked apart: no message may show them.
  key: z.unknown().optional(),
  sha256: z.unknown().optional(),
  rate_limit: numberIn(limitRanges.rateLimit).nullish(),
  concurrency_limit: numberIn(limitRanges.concurrencyLimit).nullish(),
  weight: numberIn(limitRanges.weight).nullish(),
});

const acceptableName = /^[\w.@-]{1,64}$/;

interface KeyFileOptions {
  /** Limits of keys without their own. */
  readonly defaults: KeyLimits;
  readonly others?: readonly StoredKey[];
  readonly logger: Logger;
  /** How often the file is checked for changes (default: 1000). */
  readonly checkMilliseconds?: number;
}

export type KeyFile = Awaited<ReturnType<typeof openKeyFile>>;

/** Reads a file and follows its changes; one that becomes unreadable keeps the old keys. @throws SvcError INVALID_REQUEST */
export async function openKeyFile(path: string, options: KeyFileOptions) {
  const { defaults, others = [], logger, checkMilliseconds } = options;
  const load = async (): Promise<readonly StoredKey[]> => [...others, ...(await readKeys(path, defaults))];
  const reload = async (): Promise<void> => {
    // A missing file counts as changed when the watch begins.
    if (find === undefined) return;
    try {
      const keys = await load();
      find = findAmong(keys);
      logger.info({ file: path, keys: keys.map(({ name }) => name) }, 'API keys reloaded');
    } catch (error) {
      logger.error({ file: path, reason: messageOf(error) }, 'API keys not reloaded; the old ones stay valid');
    }
  };
  const close = watchFiles([path], reload, checkMilliseconds);
  let find: FindKey | undefined;
  try {
    const keys = await load();
    // Later, an empty file revokes all keys.
    if (keys.length === others.length) throw requestError(`the key file ${path} has no keys`);
    find = findAmong(keys);
  } catch (error) {
    close();
    throw error;
  }
  const findNow: FindKey = (sent) => find?.(sent);
  return { find: findNow, close };
}

/** @throws SvcError INVALID_REQUEST; no message shows a key */
export async function readKeys(path: string, defaults: KeyLimits): Promise<readonly StoredKey[]> {
  const subject = `the key file ${path}`;
  const bytes = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SvcError('INVALID_REQUEST', `cannot read ${subject}: ${reasonOf(cause)}`, { cause });
  });
  const found = Object.entries(requireObject(parseJson(bytes, subject), subject));
  const keys = found.map(([name, value]): StoredKey => {
    if (!acceptableName.test(name)) {
      const rule = '1 to 64 letters, digits, dots, hyphens, underscores and @';
      throw requestError(`${subject} has a name that begins with ${quote(name.slice(0, 4))}: names must be ${rule}`);
    }
    const place = `${quote(name)} in ${subject}`;
    const { key, sha256, rate_limit, concurrency_limit, weight } = parseEntry(value, place);
    return {
      name,
      digest: digestOfEntry(place, key, sha256),
      rateLimit: rate_limit === undefined ? defaults.rateLimit : (rate_limit ?? undefined),
      weight: weight ?? undefined,
      concurrencyLimit: concurrency_limit === undefined ? defaults.concurrencyLimit : (concurrency_limit ?? undefined),
    };
  });
  const names = new Map<string, string>();
  for (const { name, digest } of keys) {
    const twin = names.get(digest.toString('hex'));
    if (twin !== undefined) throw requestError(`${quote(twin)} and ${quote(name)} in ${subject} have the same key`);
    names.set(digest.toString('hex'), name);
  }
  return keys;
}

function parseEntry(value: unknown, subject: string): z.output<typeof entry> {
  const settings = requireObject(value, subject);
  try {
    return parse(entry, settings, 'the settings of a key');
  } catch (error) {
    throw requestError(`${subject}: ${messageOf(error)}`);
  }
}

/** Unlike `parse`, shows no value, which may be a key in the wrong place. */
function requireObject(value: unknown, subject: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw requestError(`${subject} must be an object`);
}

function digestOfEntry(subject: string, key: unknown, sha256: unknown): Buffer {
  if ((key === undefined) === (sha256 === undefined)) throw requestError(`${subject} must have either key or sha256`);
  if (key !== undefined) {
    if (isKey(key)) return digestOf(key);
    throw requestError(`key of ${subject} must be a string of visible ASCII characters`);
  }
  if (typeof sha256 === 'string' && /^[\da-f]{64}$/i.test(sha256)) return Buffer.from(sha256, 'hex');
  throw requestError(`sha256 of ${subject} must be a string of 64 hexadecimal digits`);
}

function parseJson(text: string, subject: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw requestError(`${subject} is not valid JSON${positionIn(messageOf(cause))}`);
  }
}
