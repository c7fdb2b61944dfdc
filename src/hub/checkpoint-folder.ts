/** Converts a checkpoint in a local folder to a `.gguf` file in the cache, once for each state of its files. */
import { createHash } from 'node:crypto';
import { readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SvcError, toSvcError } from '../errors.ts';
import { diskFull, makeFolder, requireSpace } from '../files/file-system.ts';
import { shellWord } from '../package/shell-word.ts';
import { fileSize, removeLeftovers } from './cache.ts';
import { withLock } from './lock.ts';
import { defaultType, type ModelRequest } from './resolve.ts';

export interface CheckpointRequest
  extends Pick<ModelRequest, 'type' | 'cacheFolder' | 'converter' | 'signal' | 'onEvent' | 'measureSpace'> {
  readonly folder: string;
  /** Setting of `cacheFolder`, for messages. Default: `SVC_CACHE_DIR`. */
  readonly cacheSetting?: string | undefined;
}

/** Names of files that a conversion reads, and of others of the same kinds, which do no harm. */
const isRead = (name: string): boolean => /\.(json|safetensors|bin|pth)$/.test(name);

interface CheckpointState {
  readonly bytes: number;
  /** A hash of the folder's path; another one of the names, sizes and times of its files. */
  readonly place: string;
  readonly print: string;
}

async function stateOf(folder: string): Promise<CheckpointState> {
  const path = await realpath(folder);
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
  const files = await Promise.all(
    (await readdir(path)).filter(isRead).map(async (name) => ({ name, ...(await stat(join(path, name))) })),
  );
  const prints = files.map(({ name, size, mtimeMs }) => `${name} ${size} ${mtimeMs}\n`).sort();
  const bytes = files.filter(({ name }) => !name.endsWith('.json')).reduce((sum, { size }) => sum + size, 0);
  return { bytes, place: digest(path), print: digest(prints.join('')) };
}

/** Path of the converted checkpoint. Removes those of earlier states of the folder. @throws SvcError */
export async function resolveCheckpointFolder(request: CheckpointRequest): Promise<string> {
  const { folder, type = defaultType, cacheFolder, cacheSetting = 'SVC_CACHE_DIR', onEvent } = request;
  const state = await stateOf(folder).catch((cause: unknown) => {
    throw new SvcError('MODEL_NOT_FOUND', `cannot read folder ${folder}: ${toSvcError(cause).message}`, { cause });
  });
  const checkpoints = join(cacheFolder, 'checkpoints');
  const output = join(checkpoints, `${state.place}-${state.print}-${type}.gguf`);
  if ((await fileSize(output)) !== undefined) return output;
  const options = { signal: request.signal, busy: 'wait', onWait: () => onEvent?.({ kind: 'wait' }) } as const;
  try {
    await makeFolder(checkpoints);
    return await withLock(join(cacheFolder, 'locks', `checkpoint-${state.place}`), options, async (signal) => {
      // Another process may have finished in the meantime.
      if ((await fileSize(output)) === undefined) await convert({ ...request, type, signal }, state, output);
      return output;
    });
  } catch (error) {
    throw explain(error, folder, cacheSetting);
  }
}

async function convert(
  request: CheckpointRequest & { readonly type: string; readonly signal: AbortSignal },
  { bytes, place }: CheckpointState,
  output: string,
): Promise<void> {
  const { folder, type, cacheFolder, converter, signal, onEvent, measureSpace, cacheSetting } = request;
  const subject = `the conversion of ${folder}`;
  await requireSpace(cacheFolder, converter.estimate(bytes, type), subject, measureSpace, cacheSetting);
  await removeLeftovers(output);
  const onProgress = (done: number, total: number) => onEvent?.({ kind: 'convert', done, total });
  try {
    await converter.convert({ checkpoint: folder, output, type, signal, onProgress });
  } catch (error) {
    throw diskFull(error, cacheFolder, subject);
  }
  const checkpoints = join(cacheFolder, 'checkpoints');
  for (const name of await readdir(checkpoints)) {
    if (!name.startsWith(`${place}-`) || !name.endsWith(`-${type}.gguf`) || name === basename(output)) continue;
    // A system that does not remove open files leaves it.
    await rm(join(checkpoints, name), { force: true }).catch(() => undefined);
  }
}

/** Adds another way to convert the checkpoint to what is wrong with the cache. */
function explain(error: unknown, folder: string, cacheSetting: string): SvcError {
  const known = toSvcError(error);
  if (known.code !== 'IO') return known;
  const remedy =
    `set ${cacheSetting} to another folder, or convert it yourself: svc export --format gguf ` +
    `--model-path ${shellWord(folder)} --output ${shellWord(`${basename(folder)}.gguf`)}`;
  return new SvcError('IO', `cannot convert the checkpoint ${folder}: ${known.message}; ${remedy}`, { cause: error });
}
