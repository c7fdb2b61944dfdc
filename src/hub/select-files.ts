/** Which files of a repository make the model. */
import { SvcError } from '../errors.ts';
import type { RepositoryFile, RepositoryListing } from './listing.ts';
import { modelName } from './source.ts';

export type Selection =
  | { readonly kind: 'checkpoint'; readonly files: readonly RepositoryFile[] }
  /** A model file as it is. */
  | { readonly kind: 'gguf'; readonly files: readonly [RepositoryFile] };

export interface Wish {
  /** A `.gguf` file of the repository, by its path. */
  readonly file?: string | undefined;
  /** Weight type; chooses between several `.gguf` files by their names. */
  readonly type?: string | undefined;
}

/**
 * The file asked for; else the checkpoint in the official layout, what `openCheckpoint` reads and no more; else the
 * `.gguf` file of the type, or the only one.
 *
 * @throws SvcError MODEL_NOT_FOUND (no such file), MODEL_INVALID (no model there), INVALID_REQUEST (several fit)
 */
export function selectFiles(listing: RepositoryListing, { file, type }: Wish): Selection {
  const ggufFiles = listing.files.filter(({ path }) => isGguf(path));
  if (file !== undefined) {
    const found = ggufFiles.find(({ path }) => path === file);
    if (found) return { kind: 'gguf', files: [found] };
    throw new SvcError('MODEL_NOT_FOUND', `expected ${among(ggufFiles)} for --file, received ${file}`);
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
    throw new SvcError('MODEL_INVALID', `expected a checkpoint or a .gguf file in model ${name}, received neither`);
  }
  const received = only === undefined ? `none of type ${type}` : `${fitting.length} that fit`;
  throw new SvcError(
    'INVALID_REQUEST',
    `expected --file with ${among(ggufFiles)} for model ${name}, received ${received}`,
  );
}

function assertPlausible(listing: RepositoryListing, files: readonly RepositoryFile[]): void {
  const large = files.find(({ path, size }) => path.endsWith('.json') && size > mostJsonBytes);
  if (large === undefined) return;
  const limit = `${mostJsonBytes / 1024 ** 2} MB`;
  const message = `${large.path} of model ${modelName(listing)} is larger than ${limit}: ${large.size} bytes`;
  throw new SvcError('MODEL_INVALID', message);
}

export const isGguf = (path: string): boolean => path.toLowerCase().endsWith('.gguf');

const shownFiles = 8;

function among(files: readonly RepositoryFile[]): string {
  if (files.length === 0) return 'a .gguf file of the repository, which has none,';
  const shown = files.slice(0, shownFiles).map(({ path }) => path);
  return `one of ${shown.join(', ')}${files.length > shownFiles ? ', …' : ''}`;
}

/** `q8_0` in `model-Q8_0.gguf` and in `q8_0/model.gguf`, not in `iq8_0x.gguf`. */
function hasType(path: string, type: string): boolean {
  return path
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .includes(type.toLowerCase());
}

/** The order of preference of `export/checkpoint.ts`: the file that it would read is the one to download. */
const weightChoices: readonly ((path: string) => boolean)[] = [
  (path) => path === 'model.safetensors',
  (path) => path === 'model.safetensors.index.json' || /^model-\d+-of-\d+\.safetensors$/.test(path),
  (path) => path === 'pytorch_model.bin',
];
const vaeChoices = ['audiovae.safetensors', 'audiovae.pth'];
const optionalFiles = ['tokenizer_config.json', 'special_tokens_map.json'];

/** Bytes of a file that is read as a whole; the largest tokenizers have a tenth of it. */
const mostJsonBytes = 256 * 1024 * 1024;

/** Smallest first, so that what is wrong with a config shows before gigabytes are loaded. */
export function checkpointFiles(files: readonly RepositoryFile[]): readonly RepositoryFile[] | undefined {
  const named = (name: string) => files.filter(({ path }) => path === name);
  const weights = weightChoices.map((fits) => files.filter(({ path }) => fits(path))).find((found) => found.length > 0);
  const vae = vaeChoices.map(named).find((found) => found.length > 0);
  const required = [named('config.json'), named('tokenizer.json'), vae ?? [], weights ?? []];
  if (required.some((found) => found.length === 0)) return undefined;
  return [...required.flat(), ...optionalFiles.flatMap(named)].sort((a, b) => a.size - b.size);
}
