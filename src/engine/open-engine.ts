import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { SvcError } from '../errors.ts';
import { findPackage } from '../package-root.ts';
import { shellWord } from '../shell-word.ts';
import type { Backend } from './backend.ts';
import type { NativeBackendOptions } from './backends/native/native.ts';
import { findOnnxLayout } from './backends/onnx/layout.ts';
import { createEngineOver, type Engine } from './engine.ts';
import { type EngineOptions, parseEngineOptions } from './request.ts';
import type { SchedulerOptions } from './scheduler.ts';

/** What may be watched of a running engine. */
export type EngineObserver = Pick<SchedulerOptions, 'onStep'>;

/**
 * Loads a model.
 *
 * @example
 * await using engine = await createEngine({ modelPath: 'voxcpm-0.5b-q8_0.gguf' }); // or a folder of ONNX files
 * const { samples, sampleRate } = await engine.synthesize({ text: 'Hello.' });
 *
 * @throws SvcError INVALID_REQUEST (options), MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY.
 */
export async function createEngine(options: EngineOptions = {}, { onStep }: EngineObserver = {}): Promise<Engine> {
  const { modelPath, backend: name, threads, maxBatch } = parseEngineOptions(options);
  const path = await resolveModelPath(modelPath);
  const backend = await openBackend(path, { backend: name, threads });
  try {
    return createEngineOver(backend, { maxBatch, onStep });
  } catch (error) {
    await backend[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * The runtime for what lies at the path, a `.gguf` file or a folder of ONNX files. Loaded late: mistakes in arguments are
 * reported even where none can be loaded.
 */
export async function openBackend(path: string, options: NativeBackendOptions): Promise<Backend> {
  if (extname(path).toLowerCase() === '.gguf')
    return (await import('./backends/native/native.ts')).openNativeBackend(path, options);
  return (await import('./backends/onnx/open-onnx.ts')).openOnnxBackend(path, options);
}

/**
 * The model file, or the folder of an ONNX model; without a path the demo model of this package.
 *
 * @throws SvcError MODEL_NOT_FOUND when nothing is there, MODEL_INVALID when it is neither.
 */
export async function resolveModelPath(modelPath?: string): Promise<string> {
  const path = modelPath ?? join(findPackage().root, 'models', 'demo.gguf');
  const subject = modelPath === undefined ? 'the demo model' : 'the model path';
  const found = await stat(path).catch((cause: unknown) => {
    throw new SvcError('MODEL_NOT_FOUND', `expected an existing .gguf file for ${subject}, received ${path}`, {
      cause,
    });
  });
  if (found.isDirectory()) {
    if ((await findOnnxLayout(path)) !== undefined) return path;
    if (await isCheckpoint(path)) {
      const output = shellWord(`${basename(resolve(path))}.gguf`);
      throw new SvcError(
        'MODEL_INVALID',
        `${path} is a published checkpoint, which has to be converted first: ` +
          `svc export --format gguf --model-path ${shellWord(path)} --output ${output}`,
      );
    }
    throw new SvcError(
      'MODEL_INVALID',
      `expected one .gguf file or a folder with an ONNX model for ${subject}, received a directory with neither: ${path}`,
    );
  }
  if (extname(path).toLowerCase() !== '.gguf') {
    throw new SvcError('MODEL_INVALID', `expected one .gguf file for ${subject}, received ${path}`);
  }
  return path;
}

const weightFiles: readonly string[] = ['model.safetensors', 'model.safetensors.index.json', 'pytorch_model.bin'];

/** Whether the folder is a model as its authors publish it. */
async function isCheckpoint(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return names.includes('config.json') && names.some((name) => weightFiles.includes(name));
}
