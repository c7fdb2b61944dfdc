/** Resolves the options of `svc bench` to the models to measure. */
import { join } from 'node:path';
import { loadQuantizer } from '../../../export/quantizer.ts';
import type { BenchEngine } from '../../bench/configuration.ts';
import type { PublishedModel } from '../../bench/synthetic/published-configs.ts';
import { findOnnxLayout } from '../../engine/backends/onnx/layout.ts';
import { defaultType } from '../../hub/resolve.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import type { ModelOptions } from '../options/model-options.ts';
import { printNote } from '../output/messages.ts';
import { createProgress } from '../output/progress.ts';
import { formatBytes, formatShare } from '../output/units.ts';
import { chooseModel } from './model-choice.ts';
import { modelEnvironment } from './model-environment.ts';

export interface BenchModelOptions extends Omit<ModelOptions, 'threads'> {
  readonly synthetic?: PublishedModel;
  readonly engine?: readonly BenchEngine[];
  readonly compare?: string;
  readonly quiet?: boolean;
}

type BenchModel = { readonly engine: BenchEngine; readonly modelPath: string };

/** The models to measure: models of random weights, written if they don't exist, or the chosen model. */
export async function benchModels(options: BenchModelOptions, io: Io): Promise<readonly BenchModel[]> {
  const { synthetic, engine: engines } = options;
  if (synthetic !== undefined) {
    const models: BenchModel[] = [];
    for (const engine of engines ?? ['native'])
      models.push({ engine, modelPath: await writeSynthetic(synthetic, engine, options, io) });
    return models;
  }
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  const modelPath = await resolveModelPath(await chooseModel(options, io));
  const engine = (await findOnnxLayout(modelPath)) === undefined ? 'native' : 'onnx';
  if (engines !== undefined && (engines.length > 1 || engines[0] !== engine)) {
    throw requestError(
      `${quote(modelPath)} runs on the ${engine} engine only, not ${engines.join(',')}; use --synthetic to compare engines`,
    );
  }
  if (engine === 'onnx' && options.compare !== undefined)
    throw requestError(`--compare needs a .gguf file; ${quote(modelPath)} is an ONNX model`);
  return [{ engine, modelPath }];
}

async function writeSynthetic(
  model: PublishedModel,
  engine: BenchEngine,
  { type = defaultType, quiet }: BenchModelOptions,
  io: Io,
): Promise<string> {
  const { syntheticModel } = await import('../../bench/synthetic/model.ts');
  const { cacheFolder } = modelEnvironment(io);
  using progress = createProgress(io.stderr);
  let isAnnounced = false;
  return await syntheticModel({
    ...{ model, type, engine, cacheFolder },
    quantize: engine === 'native' ? await loadQuantizer(type) : undefined,
    signal: io.signal,
    onProgress: (done, total) => {
      if (quiet) return;
      if (!isAnnounced && io.stderr.isTTY !== true) {
        const folder = join(cacheFolder, 'bench');
        printNote(`writing model ${model} with random weights (${formatBytes(total)}) to ${folder}`, io);
      }
      isAnnounced = true;
      progress.update('writing', done / total, formatShare(done, total));
    },
  });
}
