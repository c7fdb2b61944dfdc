/** The audio thread: plays a track that the page appends to, and says how far it is. */
import { PcmTrack } from './pcm-track.js';

/**
 * What the worklet's scope has; TypeScript's DOM types leave it out.
 *
 * @typedef {object} WorkletScope
 * @property {new () => { readonly port: MessagePort }} AudioWorkletProcessor
 * @property {(name: string, processor: unknown) => void} registerProcessor
 * @property {number} sampleRate
 */
const scope = /** @type {WorkletScope} */ (/** @type {unknown} */ (globalThis));

/** Blocks of 128 samples between two reports: about 20 ms. */
const reportInterval = 8;

class TrackProcessor extends scope.AudioWorkletProcessor {
  #track;
  #blocks = 0;
  #alive = true;

  /** @param {{ processorOptions: { readonly sampleRate: number } }} options */
  constructor({ processorOptions }) {
    super();
    this.#track = new PcmTrack(processorOptions.sampleRate, scope.sampleRate);
    this.port.onmessage = ({ data }) => this.#obey(data);
  }

  /** @param {import('./player.js').TrackCommand} command */
  #obey(command) {
    if (command.kind === 'append') this.#track.append(command.samples);
    else if (command.kind === 'seek') this.#track.seek(command.seconds);
    else if (command.kind === 'close') this.#alive = false;
    else this.#track[command.kind]();
  }

  /** @param {unknown} _inputs @param {readonly (readonly Float32Array[])[]} outputs */
  process(_inputs, outputs) {
    const output = outputs[0]?.[0];
    if (output) this.#track.read(output);
    if (this.#blocks++ % reportInterval === 0) {
      this.port.postMessage({ position: this.#track.position, state: this.#track.state });
    }
    return this.#alive;
  }
}

scope.registerProcessor('track', TrackProcessor);
