/** The engine of the library, which also opens official checkpoints: it is above both engine and exporter. */

import { isCheckpointFolder } from './engine/checkpoint-folder.ts';
import type { Engine } from './engine/engine.ts';
import type { EngineOptions } from './engine/engine-options.ts';
import { createEngine as createModelEngine, type EngineCallbacks } from './engine/open-engine.ts';
import { requestError } from './validation.ts';

export interface LibraryEngineOptions extends EngineOptions {
  /** Quantization type to convert a checkpoint to; refused for other models. Default: `q8_0`. */
  readonly type?: string | undefined;
  /** Where converted checkpoints are kept. Default: the cache folder of the command line without `SVC_CACHE_DIR`. */
  readonly cacheFolder?: string | undefined;
}

/**
 * Loads a model. The folder of an official checkpoint is converted into the cache the first time.
 *
 * @example
 * await using engine = await createEngine({ modelPath: 'voxcpm-0.5b-q8_0.gguf' }); // or a folder: ONNX or checkpoint
 * const { samples, sampleRate } = await engine.synthesize({ text: 'Hello.' });
 *
 * @throws SvcError INVALID_REQUEST (options), MODEL_NOT_FOUND, MODEL_INVALID, BACKEND_UNAVAILABLE, OUT_OF_MEMORY, IO
 */
export async function createEngine(
  { type, cacheFolder, ...options }: LibraryEngineOptions = {},
  callbacks: EngineCallbacks = {},
): Promise<Engine> {
  const { modelPath: folder } = options;
  if (typeof folder !== 'string' || !(await isCheckpointFolder(folder))) {
    if (type !== undefined) throw requestError('type needs the folder of a checkpoint as modelPath', 'type');
    return createModelEngine(options, callbacks);
  }
  const [{ resolveCheckpointFolder }, { systemCacheFolder }, { converter }] = await Promise.all([
    import('./hub/checkpoint-folder.ts'),
    import('./hub/cache.ts'),
    import('../export/converter.ts'),
  ]);
  const modelPath = await resolveCheckpointFolder({
    folder,
    type,
    cacheFolder: cacheFolder ?? systemCacheFolder(),
    converter,
    cacheSetting: 'cacheFolder',
  });
  return createModelEngine({ ...options, modelPath }, callbacks);
}
