/** Selects the files of a model in a repository. */
import { SvcError } from '../errors.ts';
import type { RepositoryFile, RepositoryListing } from './listing.ts';
import { modelName } from './source.ts';

export type Selection =
  | { readonly kind: 'checkpoint'; readonly files: readonly RepositoryFile[] }
  /** A `.gguf` file. */
  | { readonly kind: 'gguf'; readonly files: readonly [RepositoryFile] }
  /** A LoRA adapter: its weights first. */
  | { readonly kind: 'adapter'; readonly files: readonly [RepositoryFile, ...RepositoryFile[]] };

export interface Wish {
  /** Path of a `.gguf` file in the repository. */
  readonly file?: string | undefined;
  /** Weight type; selects one of several `.gguf` files by name. */
  readonly type?: string | undefined;
  /** Folder of a LoRA adapter in the repository, instead of a model; empty for the top. */
  readonly adapter?: string | undefined;
}

/**
 * Selects the requested file; else the files of the checkpoint that `openCheckpoint` reads; else the `.gguf` file of
 * the type, or the only one.
 *
 * @throws SvcError MODEL_NOT_FOUND (no such file), MODEL_INVALID (no model), INVALID_REQUEST (ambiguous)
 */
export function selectFiles(listing: RepositoryListing, { file, type, adapter }: Wish): Selection {
  if (adapter !== undefined) return { kind: 'adapter', files: adapterFiles(listing, adapter) };
  const ggufFiles = listing.files.filter(({ path }) => isGguf(path));
  if (file !== undefined) {
    const found = ggufFiles.find(({ path }) => path === file);
    if (found) return { kind: 'gguf', files: [found] };
    throw new SvcError(
      'MODEL_NOT_FOUND',
      `model ${modelName(listing)} has no file "${file}" (${available(ggufFiles)})`,
    );
  }
  const checkpoint = checkpointFiles(listing.files);
  if (checkpoint !== undefined) {
    assertPlausible(listing, checkpoint);
    return { kind: 'checkpoint', files: checkpoint };
  }
  const fitting = type === undefined ? ggufFiles : ggufFiles.filter(({ path }) => hasType(path, type));
  const [only, ...more] = fitting;
  if (only !== undefined && more.length === 0) return { kind: 'gguf', files: [only] };
  const name = modelName(listing);
  if (ggufFiles.length === 0) {
    throw new SvcError('MODEL_INVALID', `model ${name} has neither a checkpoint nor a .gguf file`);
  }
  const problem = only === undefined ? `no .gguf file of type ${type}` : `${fitting.length} matching .gguf files`;
  throw new SvcError(
    'INVALID_REQUEST',
    `model ${name} has ${problem}; choose one with --file (${available(ggufFiles)})`,
  );
}

const adapterWeights = ['lora_weights.safetensors', 'lora_weights.ckpt'];

/** The files that `readAdapter` reads. */
function adapterFiles(listing: RepositoryListing, folder: string): readonly [RepositoryFile, ...RepositoryFile[]] {
  const named = (name: string) =>
    listing.files.find(({ path }) => path === (folder === '' ? name : `${folder}/${name}`));
  const weights = adapterWeights.map(named).find((found) => found !== undefined);
  const config = named('lora_config.json');
  if (weights !== undefined) return config === undefined ? [weights] : [weights, config];
  const name = modelName(listing);
  const folders = listing.files
    .map(({ path }) => path.split('/'))
    .filter((parts) => parts.length > 1 && adapterWeights.includes(parts.at(-1) ?? ''))
    .map((parts) => [name, ...parts.slice(0, -1)].join('/'));
  const hint = folders.length === 0 ? '' : `; available: ${folders.slice(0, shownFiles).join(', ')}`;
  const place = folder === '' ? name : `${name}/${folder}`;
  throw new SvcError('MODEL_NOT_FOUND', `${place} has no LoRA adapter (${adapterWeights.join(' or ')})${hint}`);
}

function assertPlausible(listing: RepositoryListing, files: readonly RepositoryFile[]): void {
  const large = files.find(({ path, size }) => path.endsWith('.json') && size > maxJsonBytes);
  if (large === undefined) return;
  const limit = `${maxJsonBytes / 1024 ** 2} MB`;
  const message = `${large.path} of model ${modelName(listing)} is larger than the limit of ${limit} (${large.size} bytes)`;
  throw new SvcError('MODEL_INVALID', message);
}

export const isGguf = (path: string): boolean => path.toLowerCase().endsWith('.gguf');

const shownFiles = 8;

function available(files: readonly RepositoryFile[]): string {
  if (files.length === 0) return 'it has no .gguf files';
  const shown = files.slice(0, shownFiles).map(({ path }) => path);
  return `available: ${shown.join(', ')}${files.length > shownFiles ? ', …' : ''}`;
}

/** Whether a path contains a type: `q8_0` in `model-Q8_0.gguf` and `q8_0/model.gguf`, not in `iq8_0x.gguf`. */
function hasType(path: string, type: string): boolean {
  return path
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .includes(type.toLowerCase());
}

/** Weight files in the order of preference of `export/checkpoint.ts`. */
const weightChoices: readonly ((path: string) => boolean)[] = [
  (path) => path === 'model.safetensors',
  (path) => path === 'model.safetensors.index.json' || /^model-\d+-of-\d+\.safetensors$/.test(path),
  (path) => path === 'pytorch_model.bin',
];
const vaeChoices = ['audiovae.safetensors', 'audiovae.pth'];
const optionalFiles = ['tokenizer_config.json', 'special_tokens_map.json'];

/** Maximum size of a JSON file, ten times that of the largest tokenizers. */
const maxJsonBytes = 256 * 1024 * 1024;

/** Files of the checkpoint, smallest first, so that an invalid config is found before gigabytes are downloaded. */
export function checkpointFiles(files: readonly RepositoryFile[]): readonly RepositoryFile[] | undefined {
  const named = (name: string) => files.filter(({ path }) => path === name);
  const weights = weightChoices.map((fits) => files.filter(({ path }) => fits(path))).find((found) => found.length > 0);
  const vae = vaeChoices.map(named).find((found) => found.length > 0);
  const required = [named('config.json'), named('tokenizer.json'), vae ?? [], weights ?? []];
  if (required.some((found) => found.length === 0)) return undefined;
  return [...required.flat(), ...optionalFiles.flatMap(named)].sort((a, b) => a.size - b.size);
}
