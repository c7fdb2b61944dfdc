import { type FileHandle, open, stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { SvcError, toSvcError } from '../../errors.ts';
import { isGguf, readGgufHeader } from '../../formats/gguf.ts';
import { readSafetensorsHeader } from '../../formats/safetensors.ts';
import type { Io } from '../io.ts';

interface InspectOptions {
  readonly json?: boolean;
}

interface TensorLine {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
  readonly location?: string;
}

/** What all formats say, and what only some do. */
interface Inspection {
  readonly format: 'gguf' | 'safetensors' | 'onnx';
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
  svc inspect voxcpm-onnx/flow.onnx`;

/** `svc inspect`: metadata and tensors of a model file. */
export function inspectCommand(io: Io): Command {
  return new Command('inspect')
    .description('Print metadata and tensors of a GGUF, safetensors or ONNX file.')
    .argument('<file>', 'the file to look at')
    .addOption(new Option('--json', 'everything, as one line of JSON'))
    .addHelpText('after', examples)
    .action(async (file: string, { json }: InspectOptions) => {
      const inspection = await inspect(file);
      io.stdout.write(json ? `${JSON.stringify(inspection, exactIntegers)}\n` : describe(inspection));
    });
}

/** JSON has no integers beyond 2^53; they become texts. */
const exactIntegers = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

async function inspect(path: string): Promise<Inspection> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new SvcError('MODEL_NOT_FOUND', `expected an existing file to inspect, received ${path}`, { cause });
  });
  // Opening a pipe waits for its writer; a device may have no end.
  if (!found.isFile()) {
    const kind = found.isDirectory() ? 'folder' : 'device or pipe';
    throw new SvcError('INVALID_REQUEST', `expected a file to inspect, received the ${kind} ${path}`);
  }
  const handle = await open(path, 'r');
  try {
    return await inspectFile(handle, path);
  } finally {
    await handle.close();
  }
}

async function inspectFile(handle: FileHandle, path: string): Promise<Inspection> {
  const { buffer: start, bytesRead } = await handle.read(Buffer.alloc(9), 0, 9, 0);
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
  const { producer, operatorSets, metadata, ...rest } = await describeOnnx(path).catch((thrown: unknown) => {
    const cause = toSvcError(thrown);
    if (cause.code !== 'MODEL_INVALID' || path.toLowerCase().endsWith('.onnx')) throw cause;
    // An ONNX file has no signature: all that is nothing else was tried as one.
    const message = `expected a GGUF, safetensors or ONNX file to inspect, received ${path}, which is none of them`;
    throw new SvcError('MODEL_INVALID', message, { cause });
  });
  return { format: 'onnx', metadata: { producer, operatorSets, ...metadata }, ...rest };
}

/** Longest value of a line. */
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
  section(
    'metadata',
    Object.entries(metadata).map(([key, value]) => `  ${key}: ${shown(value)}`),
  );
  section('inputs', inputs?.map(tensorLine) ?? []);
  section('outputs', outputs?.map(tensorLine) ?? []);
  section(
    'operators',
    Object.entries(operators ?? {}).map(([name, count]) => `  ${name}: ${count}`),
  );
  section(`${tensors.length} tensors`, tensors.map(tensorLine));
  // A name may hold anything; a terminal would act on it.
  return `${lines.map((line) => line.replace(/\p{Cc}/gu, '�')).join('\n')}\n`;
}
