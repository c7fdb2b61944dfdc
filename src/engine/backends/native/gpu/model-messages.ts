/** What the process of a model on a GPU and its parent send each other. */
import type { PlainError } from '../../../../errors.ts';
import type { StageTimes, VoiceMemory } from '../../../backend.ts';
import type { DitType } from '../../../engine-options.ts';
import type { NativeDevice, NativeModel } from '../addon.ts';
import type { DeviceState } from './device-memory.ts';
import type { GpuLibrary } from './libraries.ts';

export interface ModelTask {
  readonly directories: readonly string[];
  readonly library: Pick<GpuLibrary, 'backend' | 'path'>;
  readonly device: NativeDevice;
  readonly path: string;
  readonly threads: number;
  readonly ditType: DitType | undefined;
  /** Utterances that share a pass over the weights. */
  readonly sessions: number;
}

export const modelCalls = [
  'openEncoding',
  'encode',
  'closeEncoding',
  'openAdapter',
  'closeAdapter',
  'open',
  'prefill',
  'step',
  'decode',
  'closeSession',
  'probe',
] as const satisfies readonly (keyof NativeModel)[];
export type ModelCall = (typeof modelCalls)[number];

/** The first message has the task, each other one a call. */
export type ModelMessage =
  | { readonly task: ModelTask }
  | { readonly id: number; readonly name: ModelCall; readonly args: readonly unknown[] };

/** What a call left behind. */
export interface ModelState {
  readonly memory: VoiceMemory;
  readonly work: StageTimes | undefined;
  readonly device: DeviceState;
}

/** The outcome of a call. Number 0 is the opening of the model; its result is the info of the model. */
export type ModelReply = { readonly id: number; readonly state?: ModelState } & (
  | { readonly result: unknown }
  | { readonly error: PlainError }
);
