/** What is measured and what comes out. Times are in milliseconds, memory in megabytes of 10^6 bytes. */
import type { BackendName } from '../src/engine/request.ts';

export const benchEngines = ['native', 'onnx'] as const;
export type BenchEngine = (typeof benchEngines)[number];

/** One run in a process of its own; crosses to that process as JSON. */
export interface BenchConfiguration {
  /** A `.gguf` file or a folder of ONNX files. */
  readonly modelPath: string;
  readonly engine: BenchEngine;
  readonly backend: BackendName;
  readonly threads: number;
  /** Utterances that share each pass over the weights. */
  readonly batch: number;
  /** Patches of each utterance. */
  readonly patches: number;
  readonly timesteps: number;
  readonly cfg: number;
  readonly seed: number;
  readonly text: string;
  /** Seconds of prompt audio that each utterance continues; 0 for none. */
  readonly promptSeconds: number;
}

/**
 * Of a patch (of every utterance of the batch), medians; null where they are not known. The native engine's CPU kernels
 * tell them; of other engines they are differences of whole calls.
 */
export interface StepTimes {
  /** Flow matching, or the difference between steps of many and of few timesteps. */
  readonly flow: number | null;
  /** Both language models, or a prefill of one position. */
  readonly languageModels: number | null;
  readonly localEncoder: number | null;
  /** What remains of the step: projections, stop head, calls. */
  readonly other: number | null;
  /** Audio VAE decoder. */
  readonly vae: number;
}

export interface Measurement {
  readonly model: string;
  readonly weightType: string;
  readonly device: string;
  readonly engine: BenchEngine;
  readonly threads: number;
  readonly batch: number;
  readonly patches: number;
  readonly timesteps: number;
  /** Positions before the first patch, of one utterance. */
  readonly prefixPositions: number;
  /** Audio of all utterances. */
  readonly audioSeconds: number;
  readonly inputSampleRate: number;
  /** Opening the model: everything that a process does before it can take a request. The file is in the page cache. */
  readonly loadMs: number;
  /** Prefill of all utterances. */
  readonly prefillMs: number;
  /** Of a prefix of `prefillTokens` tokens. */
  readonly prefillTokensPerSecond: number;
  readonly prefillTokens: number;
  /** Median step, without the decoder. */
  readonly msPerStep: number;
  /** The tenth and the ninetieth part of the steps lie beyond these. */
  readonly msPerStepP10: number;
  readonly msPerStepP90: number;
  readonly stages: StepTimes;
  /** Decoding of one patch of one utterance. */
  readonly vaeMsPerPatch: number;
  /** Median of the last quarter of the patches over that of the first: 1 when the cost does not grow with the length. */
  readonly vaeGrowth: number;
  /** All steps, and all decoding, of the run. */
  readonly loopMs: number;
  readonly vaeMs: number;
  /** Encoding of `encodeSeconds` of audio. */
  readonly encodeMs: number;
  readonly encodeSeconds: number;
  /** (prefill + steps) / audio. */
  readonly rtfModel: number;
  /** (prefill + steps + decoding) / audio. */
  readonly rtfWithoutEncode: number;
  /** (encoding of the prompt + prefill + steps + decoding) / audio. */
  readonly rtfFull: number;
  /** From the request to the first samples, without a prompt, of one utterance. */
  readonly ttfaMs: number;
  /** At the end of loading, and the highest until then. */
  readonly rssAfterLoadMb: number;
  readonly peakRssLoadMb: number;
  /** Of loading and speaking. */
  readonly peakRssMb: number;
  /** With the encoder and the long prefill that are measured afterwards. */
  readonly peakRssAllMb: number;
  /** Resident memory at the end of the run over that after the first quarter: 1 when it does not grow with the length. */
  readonly memoryGrowth: number;
  /** Processors that others kept busy during the run, on average; with more than a few hundredths figures are too high. */
  readonly othersBusy: number;
}

/** How a child process and its parent talk. */
export type BenchReply =
  | { readonly measurement: Measurement }
  | { readonly error: { readonly code: string; readonly message: string } };
