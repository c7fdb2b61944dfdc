/** An open checkpoint, read lazily. */
import type { ModelLimits } from '../src/engine/backend.ts';
import type { TokenizerFiles } from '../src/engine/text/tokenizer-files.ts';
import type { TensorSource } from '../src/formats/tensor-source.ts';
import type { ModelConfig } from './model-config.ts';

export interface Checkpoint extends AsyncDisposable {
  readonly directory: string;
  readonly config: ModelConfig;
  /** The text of `config.json`, including fields that `config` lacks. */
  readonly configText: string;
  /** `tokenizer` as it applies, with the settings of the other files. */
  readonly tokenizerFiles: TokenizerFiles;
  /** Tensors by official name, those of the VAE under `audio_vae.`, with weight normalization folded. */
  readonly tensors: ReadonlyMap<string, TensorSource>;
  /** Paths of the weight files. */
  readonly weightFiles: readonly string[];
  /** Limits from the `svc` field of `config.json`, which official checkpoints lack. */
  readonly limits?: ModelLimits;
  /** Descriptions of the LoRA adapters that its matrices include. */
  readonly loras?: readonly string[];
  /** Opens it once more, where `directory` alone is not enough. */
  readonly reopen?: () => Promise<Checkpoint>;
}
