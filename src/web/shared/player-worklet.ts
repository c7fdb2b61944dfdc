/** The audio thread: plays a track that the page appends to, and reports its position. */
import { PcmTrack, type TrackCommand } from './pcm-track.ts';

/** The scope of a worklet, which TypeScript's DOM types leave out. */
interface WorkletScope {
  readonly AudioWorkletProcessor: new () => { readonly port: MessagePort };
  registerProcessor(name: string, processor: unknown): void;
  readonly sampleRate: number;
}
const scope = globalThis as unknown as WorkletScope;

/** Blocks of 128 samples between two reports: about 20 ms. */
const reportInterval = 8;

class TrackProcessor extends scope.AudioWorkletProcessor {
  readonly #track: PcmTrack;
  #blocks = 0;
  #alive = true;

  constructor({ processorOptions }: { readonly processorOptions: { readonly sampleRate: number } }) {
    super();
    this.#track = new PcmTrack(processorOptions.sampleRate, scope.sampleRate);
    this.port.onmessage = ({ data }: MessageEvent<TrackCommand | { readonly kind: 'close' }>) => {
      if (data.kind === 'close') this.#alive = false;
      else this.#track.obey(data);
    };
  }

  process(_inputs: unknown, outputs: readonly (readonly Float32Array[])[]): boolean {
    const output = outputs[0]?.[0];
    if (output) this.#track.read(output);
    if (this.#blocks++ % reportInterval === 0) {
      this.port.postMessage({ position: this.#track.position, state: this.#track.state });
    }
    return this.#alive;
  }
}

scope.registerProcessor('track', TrackProcessor);
