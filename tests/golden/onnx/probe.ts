import { readManifest } from '../../../src/engine/backends/onnx/manifest.ts';
import { folderOf } from '../../../src/engine/backends/onnx/node-platform.ts';
import type { Probe } from '../stages.ts';
import { need, type Outputs, ProbeFiles, type Tensors } from './probe-files.ts';
import { flow, localDit } from './probe-flow.ts';
import { embed, hiddenStage, languageModel, localEncoder, prefill } from './probe-language-models.ts';
import { vaeDecoder, vaeEncoder } from './probe-vae.ts';

/** Stages extracted from the files of an exported ONNX model, with the nodes and weights that the engine uses. */
export class OnnxProbe implements Probe {
  readonly #files: ProbeFiles;

  private constructor(files: ProbeFiles) {
    this.#files = files;
  }

  static async open(directory: string): Promise<OnnxProbe> {
    return new OnnxProbe(new ProbeFiles(directory, await readManifest(folderOf(directory))));
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  async probe(stage: string, inputs: Tensors, parameters: Readonly<Record<string, number>>): Outputs {
    const files = this.#files;
    switch (stage) {
      case 'baseLm':
        return languageModel(files, 'base_lm', inputs);
      case 'residualLm':
        return languageModel(files, 'residual_lm', inputs);
      case 'embed':
        return embed(files, need(inputs, 'ids'));
      case 'localEncoder':
        return localEncoder(files, need(inputs, 'patches'));
      case 'fsq': {
        const outputs = { tanh: 'fsq.tanh', q: 'fsq.quantized', out: 'fsq.output' };
        return hiddenStage(files, need(inputs, 'in'), 'base_lm.output', outputs);
      }
      case 'stop':
        return hiddenStage(files, need(inputs, 'in'), 'lm_hidden', { logits: 'stop_logits' });
      case 'fusion':
        return hiddenStage(files, need(inputs, 'in'), 'fusion.input', { out: 'residual_lm.input' });
      case 'prefill':
        return prefill(files, inputs);
      case 'localDit':
        return localDit(files, inputs);
      case 'flow':
        return flow(files, inputs, parameters);
      case 'vaeEncoder':
        return vaeEncoder(files, need(inputs, 'samples'));
      case 'vaeDecoder':
        return vaeDecoder(files, need(inputs, 'latents'), parameters.sampleRate);
      default:
        throw new Error(`unknown stage ${stage}`);
    }
  }
}
