/** Selects the files of a model in a repository. */
import { SvcError } from '../errors.ts';
import type { RepositoryFile, RepositoryListing } from './listing.ts';
import { modelName } from './source.ts';

export type Selection =
  | { readonly kind: 'checkpoint'; readonly files: readonly RepositoryFile[] }
  | { readonly kind: 'gguf'; readonly files: readonly [RepositoryFile] }
  | OnnxFolder
  /** A LoRA adapter: its weights first. */
  | { readonly kind: 'adapter'; readonly files: readonly [RepositoryFile, ...RepositoryFile[]] };

/** A folder of ONNX graphs with their external weights; `folder` is empty for that of the repository itself. */
export type OnnxFolder = { readonly kind: 'onnx'; readonly folder: string; readonly files: readonly RepositoryFile[] };

export interface Wish {
  /** Path of a `.gguf` file or ONNX folder in the repository; `.` is the repository's own folder. */
  readonly file?: string | undefined;
  /** Weight type; selects one of several `.gguf` files or ONNX folders by name. */
  readonly type?: string | undefined;
  /** Folder of a LoRA adapter in the repository, instead of a model; empty for the top. */
  readonly adapter?: string | undefined;
}

/**
 * Selects the requested file or folder; else the files of the checkpoint that `openCheckpoint` reads; else the `.gguf`
 * file of the type, or the only one; else likewise the ONNX folder.
 *
 * @throws SvcError MODEL_NOT_FOUND (no such file), MODEL_INVALID (no model), INVALID_REQUEST (ambiguous)
 */
export function selectFiles(listing: RepositoryListing, { file, type, adapter }: Wish): Selection {
  if (adapter !== undefined) return { kind: 'adapter', files: adapterFiles(listing, adapter) };
  const models = modelsAmong(listing.files);
  const name = modelName(listing);
  if (file !== undefined) {
    const found = models.find(({ path }) => path === file.replace(/(?<=.)\/$/, ''));
    if (found) return found.selection;
    throw new SvcError('MODEL_NOT_FOUND', `model ${name} has no file "${file}" (${available(models)})`);
  }
  const checkpoint = checkpointFiles(listing.files);
  if (checkpoint !== undefined) {
    assertPlausible(listing, checkpoint);
    return { kind: 'checkpoint', files: checkpoint };
  }
  if (models.length === 0) {
    const others = listing.files.some(({ path }) => path.toLowerCase().endsWith('.onnx'));
    throw new SvcError(
      'MODEL_INVALID',
      others
        ? `the ONNX files of model ${name} have another layout than those of svc export or VoxCPM-ONNX`
        : `model ${name} has no checkpoint, .gguf file or ONNX model`,
    );
  }
  const fitting = type === undefined ? models : models.filter(({ path }) => hasType(path, type));
  for (const kind of ['gguf', 'onnx']) {
    const ofKind = fitting.filter(({ selection }) => selection.kind === kind);
    // A file with another type for its audio VAE is a variant of the one without.
    const plain = ofKind.filter(({ path }) => !/vae/i.test(path));
    const [only] = ofKind.length === 1 ? ofKind : plain.length === 1 ? plain : [];
    if (only) return only.selection;
    if (ofKind.length > 0) break;
  }
  const what = models.some(({ selection }) => selection.kind === 'gguf') ? '.gguf file' : 'ONNX folder';
  const problem = fitting.length === 0 ? `no ${what} of type ${type}` : `${fitting.length} matching ${what}s`;
  throw new SvcError('INVALID_REQUEST', `model ${name} has ${problem}; choose one with --file (${available(models)})`);
}

interface NamedModel {
  /** For `Wish.file`. */
  readonly path: string;
  readonly selection: Selection;
}

const modelsAmong = (files: readonly RepositoryFile[]): readonly NamedModel[] => [
  ...files
    .filter(({ path }) => isGguf(path))
    .map((file): NamedModel => ({ path: file.path, selection: { kind: 'gguf', files: [file] } })),
  ...onnxFolders(files).map((selection) => ({ path: selection.folder || '.', selection })),
];

/** File names of both layouts, as in `src/engine/backends/onnx`, which is above this layer. */
const exportedManifest = 'svc-onnx.json';
const voxcpmOnnxGraphs: readonly string[] = [
  'audio_vae_encoder.onnx',
  'audio_vae_decoder.onnx',
  'voxcpm_prefill.onnx',
  'voxcpm_decode_step.onnx',
];
const onnxTexts: readonly string[] = ['tokenizer.json', 'config.json', exportedManifest];

/** The folders of a repository that hold all files of an ONNX model; smallest files first. */
export function onnxFolders(files: readonly RepositoryFile[]): readonly OnnxFolder[] {
  const folders = new Map<string, Map<string, RepositoryFile>>();
  for (const file of files) {
    const end = file.path.lastIndexOf('/');
    const folder = file.path.slice(0, Math.max(0, end));
    const inFolder = folders.get(folder) ?? new Map<string, RepositoryFile>();
    folders.set(folder, inFolder.set(file.path.slice(end + 1), file));
  }
  return [...folders].flatMap(([folder, named]): OnnxFolder[] => {
    const isExported = named.has(exportedManifest);
    const isVoxcpmOnnx = voxcpmOnnxGraphs.every((name) => named.has(name));
    if (!(isExported || isVoxcpmOnnx) || !named.has('tokenizer.json')) return [];
    // Other exporters also put graphs of other programs there.
    const isNeeded = (name: string): boolean =>
      onnxTexts.includes(name) ||
      (isExported ? /\.onnx(\.data)?$/.test(name) : voxcpmOnnxGraphs.some((graph) => isPartOf(name, graph)));
    const needed = [...named].flatMap(([name, file]) => (isNeeded(name) ? [file] : []));
    return [{ kind: 'onnx', folder, files: needed.sort((a, b) => a.size - b.size) }];
  });
}

/** Whether a file is a graph or its external weights: `NAME.onnx.data`, `NAME.onnx_data`, `NAME.onnx.data_1`, `NAME.data`. */
const isPartOf = (name: string, graph: string): boolean =>
  name === graph ||
  (/^[._]data(_\d+)?$/.test(name.slice(graph.length)) && name.startsWith(graph)) ||
  name === graph.replace(/onnx$/, 'data');

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

function available(models: readonly NamedModel[]): string {
  if (models.length === 0) return 'it has neither .gguf files nor ONNX folders';
  const shown = models.slice(0, shownFiles).map(({ path }) => path);
  return `available: ${shown.join(', ')}${models.length > shownFiles ? ', …' : ''}`;
}

/**
 * Whether a path states a type for the model: `q8_0` in `model-Q8_0.gguf` and `q8_0/model.gguf`; neither `q8_0` in
 * `iq8_0x.gguf`, nor `f16` in `model-q8_0-audiovae-f16.gguf`, where it is the type of the audio VAE alone.
 */
function hasType(path: string, type: string): boolean {
  const words = path.toLowerCase().split(/[^a-z0-9_]+/);
  return words.some((word, index) => word === type.toLowerCase() && !/vae$|^acoustic$/.test(words[index - 1] ?? ''));
}

/** Weight files in the order of preference of `export/checkpoint.ts`. */
const weightChoices: readonly ((path: string) => boolean)[] = [
  (path) => path === 'model.safetensors',
  (path) => path === 'model.safetensors.index.json' || /^model-\d+-of-\d+\.safetensors$/.test(path),
  (path) => path === 'pytorch_model.bin',
  (path) => path === 'pytorch_model.bin.index.json' || /^pytorch_model-\d+-of-\d+\.bin$/.test(path),
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
