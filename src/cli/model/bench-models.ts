/** From the options of `svc bench` to the models that it measures. */
import { join } from 'node:path';
import type { BenchEngine } from '../../../bench/configuration.ts';
import type { PublishedModel } from '../../../bench/synthetic/published-configs.ts';
import type { WeightType } from '../../../export/gguf/tensor-types.ts';
import { findOnnxLayout } from '../../engine/backends/onnx/layout.ts';
import { resolveModelPath } from '../../engine/open-engine.ts';
import { defaultType } from '../../hub/resolve.ts';
import type { Io } from '../io.ts';
import { invalidOption, type ModelOptions } from '../options/options.ts';
import { createProgress } from '../output/progress.ts';
import { chooseModel } from './model-choice.ts';
import { modelEnvironment } from './model-environment.ts';
import { loadQuantizer } from './quantizer.ts';

export interface BenchModelOptions extends Omit<ModelOptions, 'threads'> {
  readonly synthetic?: PublishedModel;
  readonly engine?: readonly BenchEngine[];
  readonly compare?: string;
  readonly quiet?: boolean;
}

export interface BenchModel {
  readonly engine: BenchEngine;
  readonly modelPath: string;
}

/**
 * The models that are measured: those of random weights, written when they are not there, else the one that is chosen.
 *
 * @throws SvcError
 */
export async function benchModels(options: BenchModelOptions, io: Io): Promise<readonly BenchModel[]> {
  const { synthetic, engine: engines } = options;
  if (synthetic !== undefined) {
    const models: BenchModel[] = [];
    for (const engine of engines ?? ['native']) {
      models.push({
        engine,
        modelPath: await writeSynthetic(synthetic, options.type ?? defaultType, engine, options, io),
      });
    }
    return models;
  }
  const modelPath = await resolveModelPath(await chooseModel(options, io));
  const engine = (await findOnnxLayout(modelPath)) === undefined ? 'native' : 'onnx';
  if (engines !== undefined && (engines.length > 1 || engines[0] !== engine)) {
    throw invalidOption(`${engine} for ${modelPath} (both for --synthetic only)`, '--engine', engines.join(','));
  }
  if (engine === 'onnx' && options.compare !== undefined) throw invalidOption('a .gguf file', '--compare', modelPath);
  return [{ engine, modelPath }];
}

async function writeSynthetic(
  model: PublishedModel,
  type: WeightType,
  engine: BenchEngine,
  { quiet }: BenchModelOptions,
  io: Io,
): Promise<string> {
  const { syntheticModel } = await import('../../../bench/synthetic/model.ts');
  const { cacheFolder } = modelEnvironment(io);
  const progress = createProgress(io.stderr);
  let told = false;
  try {
    return await syntheticModel({
      ...{ model, type, engine, cacheFolder },
      quantize: engine === 'native' ? await loadQuantizer(type) : undefined,
      signal: io.signal,
      onProgress: (done, total) => {
        if (quiet) return;
        if (!told && io.stderr.isTTY !== true) {
          const megabytes = Math.ceil(total / 1e6);
          io.stderr.write(
            `svc: writing model ${model} of random weights (${megabytes} MB) in ${join(cacheFolder, 'bench')}\n`,
          );
        }
        told = true;
        progress.update('writing, MB', Math.ceil(done / 1e6), Math.ceil(total / 1e6));
      },
    });
  } finally {
    progress.stop();
  }
}
