/** Configurations and results of `svc bench`. Times are in milliseconds, memory in megabytes of 10^6 bytes. */
import type { DeviceSettings } from '../engine/backends/native/device.ts';
import type { KernelName } from '../engine/backends/native/kernel-names.ts';
import type { BackendName, DitType } from '../engine/engine-options.ts';

export const benchEngines = ['native', 'onnx'] as const;
export type BenchEngine = (typeof benchEngines)[number];

/** Our CPU kernels, or those of ggml's CPU backend. */
export type BenchKernels = KernelName | 'ggml';

/** One run in its own process; sent there as JSON. */
export interface BenchConfiguration {
  /** A `.gguf` file or a folder of ONNX files. */
  readonly modelPath: string;
  readonly engine: BenchEngine;
  readonly backend: BackendName;
  /** Number of the GPU; the first that works if left out. */
  readonly device?: number | undefined;
  /** How GPUs are tried. */
  readonly devices?: Pick<DeviceSettings, 'cacheFolder' | 'patience'>;
  readonly threads: number;
  /** CPU kernels of the native engine; the best of this processor if left out. */
  readonly kernels?: BenchKernels;
  /** Utterances that share each pass over the weights. */
  readonly batch: number;
  readonly ditType?: DitType | undefined;
  /** The last thread takes so many times as long, like a slower core. */
  readonly slowness?: number;
  /** Patches per utterance. */
  readonly patches: number;
  readonly timesteps: number;
  readonly cfg: number;
  readonly seed: number;
  readonly text: string;
  /** Seconds of prompt audio; 0 for none. */
  readonly promptSeconds: number;
}

/**
 * Median times per step of the whole batch; null where unknown. The native engine's CPU kernels report them; for other
 * engines they are differences between whole calls.
 */
export interface StepTimes {
  /** Flow matching, or the difference between steps with many and with few timesteps. */
  readonly flow: number | null;
  /** Both language models, or the prefill of one position. */
  readonly languageModels: number | null;
  readonly localEncoder: number | null;
  /** The rest of the step: projections, stop head, calls. */
  readonly other: number | null;
  /** Audio VAE decoder. */
  readonly vae: number;
}

/** What a step takes on a card at least, and the card. */
export interface CardFigures {
  /** Kernels that a step starts. */
  readonly launches: number;
  /** Read and written by a step at least; and of that, matrices. */
  readonly stepMb: number;
  readonly weightMb: number;
  /** Bytes per second of the card's memory; null if unknown. */
  readonly bandwidth: number | null;
  /** `stepMb` per second of the step, divided by `bandwidth`. */
  readonly ofBandwidth: number | null;
  /** Operations per second of the step, divided by those of the card in bfloat16; null if unknown. */
  readonly ofArithmetic: number | null;
  /** Memory of the card in use by all processes, and in all. */
  readonly usedMb: number | null;
  readonly totalMb: number | null;
  /** How many more utterances of 512 positions its memory holds. */
  readonly room: number | null;
}

export interface Measurement {
  readonly model: string;
  readonly weightType: string;
  readonly device: string;
  readonly engine: BenchEngine;
  readonly threads: number;
  readonly kernels?: BenchKernels;
  readonly batch: number;
  readonly patches: number;
  readonly timesteps: number;
  /** Positions before the first patch, per utterance. */
  readonly prefixPositions: number;
  /** Audio of all utterances. */
  readonly audioSeconds: number;
  readonly inputSampleRate: number;
  /** Opening the model, until the process can take a request. The file is in the page cache. */
  readonly loadMs: number;
  /** Prefill of all utterances. */
  readonly prefillMs: number;
  /** For a prefix of `prefillTokens` tokens. */
  readonly prefillTokensPerSecond: number;
  readonly prefillTokens: number;
  /** For prefixes of 27 and 64 tokens: a short sentence, and a long one. */
  readonly prefillTokensPerSecond27: number;
  readonly prefillTokensPerSecond64: number;
  /** Median step, without the decoder. */
  readonly msPerStep: number;
  /** 10th and 90th percentile of the steps. */
  readonly msPerStepP10: number;
  readonly msPerStepP90: number;
  readonly stages: StepTimes;
  /** How often the threads wait for each other in a step; null where unknown. */
  readonly phases: number | null;
  /** Only of our CUDA kernels. */
  readonly card?: CardFigures;
  /** Decoding one patch of one utterance. */
  readonly vaeMsPerPatch: number;
  /** Median of the last quarter of the patches relative to the first: 1 if the cost doesn't grow with the length. */
  readonly vaeGrowth: number;
  /** All steps, and all decoding, of the run. */
  readonly loopMs: number;
  readonly vaeMs: number;
  /** Encoding `encodeSeconds` of audio. */
  readonly encodeMs: number;
  readonly encodeSeconds: number;
  /** (prefill + steps) / audio. */
  readonly rtfModel: number;
  /** (prefill + steps + decoding) / audio. */
  readonly rtfWithoutEncode: number;
  /** (encoding of the prompt + prefill + steps + decoding) / audio. */
  readonly rtfFull: number;
  /** From the request to the first samples of one utterance without a prompt. */
  readonly ttfaMs: number;
  /** After loading, and the peak until then. */
  readonly rssAfterLoadMb: number;
  readonly peakRssLoadMb: number;
  /** Peak of loading and generation. */
  readonly peakRssMb: number;
  /** Also with the encoder and the long prefill measured afterwards. */
  readonly peakRssAllMb: number;
  /** Resident memory of the last quarter of the run relative to the first: 1 if it doesn't grow with the length. */
  readonly memoryGrowth: number;
  /** Average number of processors that other processes kept busy; above a few hundredths, times are too high. */
  readonly othersBusy: number;
}
