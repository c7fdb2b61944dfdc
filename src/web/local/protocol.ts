/** Messages between the page and its worker. */
import type { InputFormat } from '../../engine/script/input-formats.ts';
import type { EncodedAudio } from '../../engine/voice-fields.ts';
import type { Received } from './model-files.ts';
import type { WebDevice } from './onnx-web.ts';

export interface LoadOrder {
  readonly kind: 'load';
  /** Absolute URL of the model's folder, with a slash at the end. */
  readonly address: string;
  readonly device: WebDevice | 'auto';
}

/** A recording of the voice to clone. */
export interface Recording {
  /** Identifies the recording, so that it is encoded only once. */
  readonly number: number;
  readonly role: EncodedAudio['role'];
  readonly samples: Float32Array;
  readonly sampleRate: number;
}

export interface SpeakOrder {
  readonly kind: 'speak';
  readonly text: string;
  readonly inputFormat?: InputFormat | undefined;
  readonly seed: number;
  readonly cfg?: number | undefined;
  readonly timesteps?: number | undefined;
  readonly recording?: Recording | undefined;
  /** Transcript of a `prompt` recording. */
  readonly transcript?: string | undefined;
}

export type Order = LoadOrder | SpeakOrder;

/** To the worker, which carries out orders as they arrive. Each order has its own number. */
export type ToWorker = { readonly number: number; readonly order: Order | 'cancel' };

export interface LoadedModel {
  readonly name: string;
  readonly architecture: 'voxcpm' | 'voxcpm2';
  readonly sampleRate: number;
  readonly device: string;
}

export type Report =
  | ({ readonly kind: 'received' } & Received)
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'samples'; readonly samples: Float32Array };

export type Outcome =
  | { readonly kind: 'loaded'; readonly model: LoadedModel }
  | { readonly kind: 'spoken' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** From the worker: any number of reports on an order, then its outcome. */
export type FromWorker = { readonly number: number; readonly report: Report | Outcome };
