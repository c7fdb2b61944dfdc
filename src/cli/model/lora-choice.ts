/** Opens the adapters of `--lora`: finds their files, downloads those of repositories, and checks them. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Checkpoint } from '../../../export/checkpoint-source.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AdapterCatalog } from '../../engine/lora/adapter-catalog.ts';
import { type ErrorCode, SvcError, toSvcError } from '../../errors.ts';
import { hashModel } from '../../files/hash-files.ts';
import { readGgufHeader } from '../../formats/gguf.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { type LoraArgument, type LoraOptions, loraNames, repositoryPattern } from '../options/lora-options.ts';
import type { NamedModelOptions } from '../options/model-options.ts';
import type { OutputOptions } from '../options/output-options.ts';
import { printWarning } from '../output/messages.ts';
import { pullAdapter } from './model-choice.ts';

type HubChoice = Pick<OutputOptions, 'quiet'> & Pick<NamedModelOptions, 'hub'>;
type Choice = LoraOptions & HubChoice;

export type ChosenLoras = Awaited<ReturnType<typeof chooseLoras>>;

/** Downloads adapters of repositories unless they are in the cache. @throws SvcError */
export async function chooseLoras({ lora = [], loraAlpha: alpha, quiet, hub }: Choice, io: Io) {
  if (lora.length === 0 && alpha !== undefined) throw requestError('--lora-alpha needs --lora');
  const { createAdapterCatalog } = await import('../../engine/lora/adapter-catalog.ts');
  const catalog = createAdapterCatalog();
  const names = loraNames({ lora });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw requestError(`two LoRA adapters are called ${quote(twice)}; name them: --lora NAME=PATH`);
  for (const [index, { place, weight }] of lora.entries()) {
    await catalog.add(names[index] ?? '', { path: await findLora(place, { quiet, hub }, io), weight, alpha });
  }
  const hashes = new Map<string, Promise<string>>();
  return {
    catalog,
    /** The adapter of requests that name none: that of a single `--lora`. */
    only: names.length === 1 ? names[0] : undefined,
    /** Equal for adapters that change the speech alike. @throws SvcError INVALID_REQUEST */
    revision(name: string): Promise<string> {
      const hash = hashes.get(name) ?? hashAdapter(catalog, name, io);
      hashes.set(name, hash);
      return hash;
    },
  };
}

async function hashAdapter(catalog: AdapterCatalog, name: string, { signal }: Io): Promise<string> {
  const { weight, description } = catalog.find(name);
  return `${weight} ${description.alpha} ${await hashModel(description.path, signal)}`;
}

/** Checks early that a model can speak with its adapters; closes it otherwise. */
export async function tryAdapters({ loras, close }: Engine): Promise<void> {
  try {
    for (const { name } of loras?.list() ?? []) await loras?.tryOut(name);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The adapter of a command that speaks with one. @throws SvcError INVALID_REQUEST for several */
export function requireOne({ lora = [] }: LoraOptions): void {
  if (lora.length > 1) throw requestError(`--lora names one adapter here, got ${lora.length}`);
}

const isPath = (place: string): boolean => /^[./~\\]|\.(safetensors|ckpt|pth)$/i.test(place) || existsSync(place);

/** Path of an adapter: the given one, or that of `organization/name/folder@revision` in the cache. @throws SvcError */
export async function findLora(place: LoraArgument['place'], options: HubChoice, io: Io): Promise<string> {
  if (isPath(place)) return place;
  const found = repositoryPattern.exec(place)?.groups;
  if (found === undefined) {
    throw new SvcError(
      'MODEL_NOT_FOUND',
      `no such LoRA adapter: ${quote(place)} (a path, or a repository of --hub such as organization/name)`,
    );
  }
  const { repository = '', folder = '', revision = '' } = found;
  try {
    return await pullAdapter(`${repository}${revision}`, folder.slice(1), options, io);
  } catch (thrown) {
    const { code, message, cause } = toSvcError(thrown);
    if (!notThere.has(code)) throw thrown;
    throw new SvcError(code, `no such folder: ${quote(place)}; ${message}`, { cause });
  }
}

/** Answers of a hub to a name that may be a misspelled path. */
const notThere = new Set<ErrorCode>(['MODEL_NOT_FOUND', 'NETWORK', 'UNAUTHORIZED', 'FORBIDDEN']);

/** @returns the path as it is, or an open checkpoint, which the exporter closes */
export async function withAdapters(
  path: string,
  { lora = [], loraAlpha: alpha, quiet }: LoraOptions & { readonly quiet?: boolean | undefined },
  io: Io,
): Promise<string | Checkpoint> {
  if (lora.length === 0) {
    if (alpha !== undefined) throw requestError('--lora-alpha needs --lora');
    return path;
  }
  const { openMerged } = await import('../../../export/merge-adapter.ts');
  const names = loraNames({ lora });
  const adapters = [];
  for (const [index, { place, weight }] of lora.entries()) {
    adapters.push({ path: await findLora(place, { quiet }, io), name: names[index], weight, alpha });
  }
  const checkpoint = await openMerged(path, adapters);
  const type = quiet ? undefined : await quantizedType(path);
  if (type !== undefined) {
    printWarning(`${path} is already quantized (${type}) and is rounded a second time; merge into the checkpoint`, io);
  }
  return checkpoint;
}

/** The type of the quantized matrices of a `.gguf` file; undefined without any. */
async function quantizedType(path: string): Promise<string | undefined> {
  if (!path.toLowerCase().endsWith('.gguf')) return undefined;
  await using file = await open(path);
  const { tensors } = await readGgufHeader(file, path);
  return tensors.find(({ type }) => /^i?q\d/.test(type))?.type;
}
