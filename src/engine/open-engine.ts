import { existsSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { SvcError } from '../errors.ts';
import { refuseLfsPointer } from '../lfs-pointer.ts';
import { shellWord } from '../package/shell-word.ts';
import { requestError } from '../validation.ts';
import type { Backend, MetadataValue } from './backend.ts';
import type { DeviceSettings } from './backends/native/device.ts';
import type { NativeBackendOptions } from './backends/native/native.ts';
import { findOnnxLayout } from './backends/onnx/layout.ts';
import { isCheckpointFolder } from './checkpoint-folder.ts';
import { demoModelName, demoModelPath, isDemoModel } from './demo-model.ts';
import { createEngineFromBackend, type Engine, type EngineDependencies } from './engine.ts';
import { type EngineOptions, parseEngineOptions } from './engine-options.ts';
import { createAdapterCatalog } from './lora/adapter-catalog.ts';
import { limitsOfMetadata } from './model-limits.ts';
import { createTextReader, type TextReader } from './text-reader.ts';

/** Callbacks of a running engine. */
export type EngineCallbacks = Pick<EngineDependencies, 'onStep' | 'recognize' | 'loras'> & {
  /** How GPUs are tried. */
  readonly devices?: DeviceSettings | undefined;
};

/**
 * Loads a model.
 *
 * @example
 * await using engine = await createEngine({ modelPath: 'voxcpm-0.5b-q8_0.gguf' }); // or an ONNX folder
 * const { samples, sampleRate } = await engine.synthesize({ text: 'Hello.' });
 *
 * @throws SvcError INVALID_REQUEST (options), MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY.
 */
export async function createEngine(
  options: EngineOptions = {},
  { onStep, recognize, loras: shared, devices }: EngineCallbacks = {},
): Promise<Engine> {
  const {
    modelPath,
    backend: name,
    device,
    threads,
    ditType,
    maxBatch,
    loras: given = {},
  } = parseEngineOptions(options);
  const path = await resolveModelPath(modelPath);
  const loras = shared ?? createAdapterCatalog();
  for (const [adapter, choice] of Object.entries(given)) {
    await loras.add(adapter, typeof choice === 'string' ? { path: choice } : choice);
  }
  const { engine } = await openEngine(
    path,
    { backend: name, device, threads, ditType, devices },
    { maxBatch, onStep, recognize, loras },
  );
  return engine;
}

/**
 * Opens what a model reads texts by: of a GGUF file its description, without the weights.
 *
 * @throws SvcError as createEngine
 */
export async function openTextReader({ modelPath }: Pick<EngineOptions, 'modelPath'>): Promise<TextReader> {
  const path = await resolveModelPath(modelPath);
  if (extname(path).toLowerCase() !== '.gguf') {
    const { openOnnxBackend } = await import('./backends/onnx/open-onnx.ts');
    await using backend = await openOnnxBackend(path, { backend: 'auto' });
    return createTextReader(backend.info, (key) => backend.metadata(key));
  }
  const { loadNative } = await import('./backends/native/load-addon.ts');
  const model = await loadNative().addon.openModel(path, 'CPU', 1, 'ggml');
  try {
    const metadata = (key: string): MetadataValue | undefined => model.metadata(key);
    const { architecture, maxLength: contextLength } = model.info;
    const stated = metadata('general.name');
    const name = isDemoModel(path) ? demoModelName : typeof stated === 'string' ? stated : architecture;
    return createTextReader({ name, architecture, contextLength, limits: limitsOfMetadata(metadata) }, metadata);
  } finally {
    await model.close();
  }
}

/** A backend and the engine that owns it. */
interface Opened {
  readonly backend: Backend;
  readonly engine: Engine;
}

/**
 * Opens a `.gguf` file or an ONNX folder with its runtime. The runtime is imported late, so that errors in arguments
 * are reported even where no runtime can be loaded.
 */
export async function openEngine(
  path: string,
  options: NativeBackendOptions,
  means: EngineDependencies,
): Promise<Opened> {
  const over = (backend: Backend): Engine => createEngineFromBackend(backend, means);
  if (extname(path).toLowerCase() === '.gguf') {
    const { openOnAllDevices, whileLoading } = await import('./backends/native/native.ts');
    const name = isDemoModel(path) ? demoModelName : undefined;
    const native = { ...options, maxBatch: means.maxBatch, name };
    if (options.device === 'all') {
      if (options.backend === 'cpu') throw requestError('--device all uses GPUs; --backend cpu uses none', 'device');
      const { createSpread } = await import('./several-devices.ts');
      const spread = createSpread(await openOnAllDevices(path, native), means);
      if (spread.info.device === 'CPU') {
        await spread[Symbol.asyncDispose]();
        throw new SvcError('BACKEND_UNAVAILABLE', '--device all uses GPUs, and none works; svc doctor says why');
      }
      return { backend: spread, engine: createEngineFromBackend(spread, means, spread) };
    }
    // The tokenizer takes a good part of the time in which the weights are loaded.
    const { backend, result } = await whileLoading(path, native, over);
    return { backend, engine: result };
  }
  if (options.device !== undefined) throw requestError('a GPU can be chosen for .gguf files only', 'device');
  const backend = await (await import('./backends/onnx/open-onnx.ts')).openOnnxBackend(path, options);
  try {
    return { backend, engine: over(backend) };
  } catch (error) {
    await backend[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Resolves a model path to a `.gguf` file or an ONNX folder; without a path, to the demo model of this package.
 *
 * @throws SvcError MODEL_NOT_FOUND if the path does not exist, MODEL_INVALID if it is neither
 */
export async function resolveModelPath(modelPath?: string): Promise<string> {
  const path = modelPath ?? demoModelPath();
  const found = await stat(path).catch((cause: unknown) => {
    const remedy = modelPath === undefined ? 'the demo model is missing; reinstall this package: ' : '';
    throw new SvcError('MODEL_NOT_FOUND', `${remedy}no such file or folder: ${path}`, { cause });
  });
  if (found.isDirectory()) {
    if ((await findOnnxLayout(path)) !== undefined) return path;
    if (await isCheckpointFolder(path)) {
      const output = shellWord(`${basename(resolve(path))}.gguf`);
      throw new SvcError(
        'MODEL_INVALID',
        `${path} is a checkpoint; convert it first: ` +
          `svc export --format gguf --model-path ${shellWord(path)} --output ${output}`,
      );
    }
    const model = (await readdir(path)).sort().find((name) => extname(name).toLowerCase() === '.gguf');
    if (model !== undefined) {
      throw new SvcError(
        'MODEL_INVALID',
        `${path} is a folder of .gguf files; name one of them, such as ${join(path, model)}`,
      );
    }
    if (existsSync(join(path, 'config.json'))) {
      throw new SvcError(
        'MODEL_INVALID',
        `${path} is not a complete checkpoint; beside config.json, put model.safetensors or pytorch_model.bin ` +
          '(or their shards with the .index.json), audiovae.safetensors or audiovae.pth, and tokenizer.json',
      );
    }
    throw new SvcError('MODEL_INVALID', `${path} contains neither an ONNX model nor a checkpoint; give a .gguf file`);
  }
  if (extname(path).toLowerCase() !== '.gguf') {
    throw new SvcError('MODEL_INVALID', `${path} is not a .gguf file`);
  }
  if (found.isFile()) {
    await using handle = await open(path);
    await refuseLfsPointer(handle, path);
  }
  return path;
}
