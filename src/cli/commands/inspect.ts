import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Manifest } from '../../engine/backends/onnx/manifest.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { isGguf, readGgufHeader } from '../../formats/gguf.ts';
import { readSafetensorsHeader } from '../../formats/safetensors.ts';
import { refuseLfsPointer } from '../../lfs-pointer.ts';
import { quote } from '../../messages.ts';
import type { Io } from '../io.ts';
import { commandWith } from '../options/option-values.ts';

interface TensorLine {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
  readonly location?: string;
}

/** Fields that are undefined are unknown in the file's format. */
interface Inspection {
  readonly format: 'gguf' | 'safetensors' | 'onnx' | 'lora';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly inputs?: readonly TensorLine[];
  readonly outputs?: readonly TensorLine[];
  readonly operators?: Readonly<Record<string, number>>;
  readonly tensors: readonly TensorLine[];
}

const examples = `
Examples:
  svc inspect voxcpm-0.5b-q8_0.gguf
  svc inspect VoxCPM-0.5B/model.safetensors --json
  svc inspect voxcpm-onnx/flow.onnx
  svc inspect anna-lora`;

/** `svc inspect`: prints metadata and tensors of a model file. */
export function inspectCommand(io: Io): Command {
  return commandWith('inspect', examples, ['--json: print everything as one line of JSON'])
    .argument('<file>', 'a GGUF, safetensors or ONNX file, or the folder of an ONNX model or a LoRA adapter')
    .action(async (file: string, { json }: { readonly json?: boolean }) => {
      const inspection = await inspect(file);
      io.stdout.write(json ? `${JSON.stringify(inspection, exactIntegers)}\n` : describe(inspection));
    });
}

/** Integers beyond 2^53 become strings in JSON. */
const exactIntegers = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

async function inspect(path: string): Promise<Inspection> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new SvcError('MODEL_NOT_FOUND', `no such file: ${quote(path)}`, { cause });
  });
  if (found.isDirectory()) return inspectFolder(path);
  if (found.isFile() && /\.(ckpt|pth)$/i.test(path)) return inspectAdapter(path);
  // Opening a pipe blocks until it has a writer; a device may have no end.
  if (!found.isFile())
    throw new SvcError('INVALID_REQUEST', `svc inspect needs a file; ${quote(path)} is a device or pipe`);
  await using handle = await open(path, 'r');
  return await inspectFile(handle, path);
}

/** An exported model, by its manifest, or an adapter. */
async function inspectFolder(path: string): Promise<Inspection> {
  const [{ loraWeightFiles }, { manifestName, parseManifest }] = await Promise.all([
    import('../../engine/lora/read-adapter.ts'),
    import('../../engine/backends/onnx/manifest.ts'),
  ]);
  const names = await readdir(path);
  if (names.some((name) => (loraWeightFiles as readonly string[]).includes(name))) return inspectAdapter(path);
  if (names.includes(manifestName)) {
    const text = await readFile(join(path, manifestName), 'utf8');
    return inspectOnnxFolder(path, parseManifest(text, `${manifestName} of ${path}`));
  }
  const files = names.filter((name) => /\.(gguf|safetensors|onnx)$/i.test(name)).sort();
  const hint = files.length === 0 ? ' without a LoRA adapter' : `; name one of its files: ${files.join(', ')}`;
  throw new SvcError('INVALID_REQUEST', `svc inspect needs a file; ${quote(path)} is a folder${hint}`);
}

async function inspectOnnxFolder(path: string, manifest: Manifest): Promise<Inspection> {
  const { describeOnnx } = await import('../../../export/onnx/read-model.ts');
  const graph = join(path, manifest.languageModels.file);
  // Every graph names the adapters that its model includes.
  const { lora } = (await describeOnnx(graph)).metadata;
  return { format: 'onnx', metadata: { ...manifest, ...(lora === undefined ? {} : { lora }) }, tensors: [] };
}

async function inspectAdapter(path: string): Promise<Inspection> {
  const { describeAdapter } = await import('../../engine/lora/read-adapter.ts');
  const { rank, alpha, baseModel, parameters, bytes, path: file, tensors } = await describeAdapter(path);
  const scale = alpha === undefined ? undefined : alpha / rank;
  const note = alpha === undefined ? 'no lora_config.json states its alpha; give it with --lora-alpha' : undefined;
  const metadata = Object.entries({ file, rank, alpha, scale, baseModel, parameters, bytes, note });
  return {
    format: 'lora',
    metadata: Object.fromEntries(metadata.filter(([, value]) => value !== undefined)),
    tensors: tensors.map(({ name, dtype, shape }) => ({ name, type: dtype.toLowerCase(), shape })),
  };
}

async function inspectFile(handle: FileHandle, path: string): Promise<Inspection> {
  const { buffer: start, bytesRead } = await handle.read(Buffer.alloc(9), 0, 9, 0);
  await refuseLfsPointer(handle, path);
  if (isGguf(start)) {
    const { version, metadata, tensors } = await readGgufHeader(handle, path);
    return { format: 'gguf', metadata: { version, ...Object.fromEntries(metadata) }, tensors };
  }
  if (bytesRead === 9 && start[8] === '{'.charCodeAt(0)) {
    const entries = await readSafetensorsHeader(handle, path);
    const tensors = entries.map(({ name, dtype, shape }) => ({ name, type: dtype.toLowerCase(), shape }));
    return { format: 'safetensors', metadata: {}, tensors };
  }
  const { describeOnnx } = await import('../../../export/onnx/read-model.ts');
  const { producer, irVersion, operatorSets, description, metadata, ...rest } = await describeOnnx(path).catch(
    (thrown: unknown) => {
      const cause = toSvcError(thrown);
      if (cause.code !== 'MODEL_INVALID' || path.toLowerCase().endsWith('.onnx')) throw cause;
      // ONNX files have no signature, so everything unknown was tried as one.
      const message = `${quote(path)} is not a GGUF, safetensors or ONNX file`;
      throw new SvcError('MODEL_INVALID', message, { cause });
    },
  );
  const described = description === '' ? {} : { description };
  return { format: 'onnx', metadata: { producer, irVersion, operatorSets, ...described, ...metadata }, ...rest };
}

/** Maximum length of a printed value. */
const longestValue = 100;

function shown(value: unknown): string {
  if (Array.isArray(value) && value.length > 8)
    return `${value.length} values: ${value.slice(0, 4).map(shown).join(', ')}, …`;
  const text = typeof value === 'string' ? value : JSON.stringify(value, exactIntegers);
  const line = text.replace(/\s+/g, ' ');
  return line.length > longestValue ? `${line.slice(0, longestValue)}… (${line.length} characters)` : line;
}

const tensorLine = ({ name, type, shape, location }: TensorLine): string =>
  `  ${name}  ${type} [${shape.join(', ')}]${location === undefined ? '' : `  in ${location}`}`;

function describe({ format, metadata, inputs, outputs, operators, tensors }: Inspection): string {
  const lines = [`format: ${format}`];
  const section = (title: string, content: readonly string[]): void => {
    if (content.length > 0) lines.push(`${title}:`, ...content);
  };
  const known = Object.entries(metadata).map(([key, value]) => `  ${key}: ${shown(value)}`);
  section('metadata', known);
  section('inputs', inputs?.map(tensorLine) ?? []);
  section('outputs', outputs?.map(tensorLine) ?? []);
  const counts = Object.entries(operators ?? {}).map(([name, count]) => `  ${name}: ${count}`);
  section('operators', counts);
  section(`${tensors.length} tensors`, tensors.map(tensorLine));
  // Names may contain control characters.
  return `${lines.map((line) => line.replace(/\p{Cc}/gu, '�')).join('\n')}\n`;
}
