/** Audio that grows while it is played. Runs on the audio thread, and anywhere else: it knows nothing of the browser. */

export type TrackState = 'paused' | 'waiting' | 'playing' | 'ended';

export type TrackCommand =
  | { readonly kind: 'append'; readonly samples: Float32Array }
  | { readonly kind: 'seek'; readonly seconds: number }
  | { readonly kind: 'complete' | 'play' | 'pause' };

/** Seconds to buffer before the first sound; doubled each time they run out. */
const firstReserve = 0.1;
const mostReserve = 4;

/** Samples are kept in blocks: one array that grows would be copied on the audio thread, which has no time for it. */
const blockBits = 16;
const blockLength = 1 << blockBits;

export class PcmTrack {
  readonly #blocks: Float32Array[] = [];
  #count = 0;
  #position = 0;
  #complete = false;
  #playing = true;
  #reserve = firstReserve;
  #starved = true;
  readonly #sampleRate: number;
  readonly #step: number;

  /** Rates of the audio and of the device, in Hz. */
  constructor(sampleRate: number, outputRate: number) {
    this.#sampleRate = sampleRate;
    this.#step = sampleRate / outputRate;
  }

  /** Seconds. */
  get position(): number {
    return Math.min(this.#position, this.#count) / this.#sampleRate;
  }

  get state(): TrackState {
    if (this.#complete && this.#position >= this.#count) return 'ended';
    if (!this.#playing) return 'paused';
    return this.#starved ? 'waiting' : 'playing';
  }

  obey(command: TrackCommand): void {
    if (command.kind === 'append') this.append(command.samples);
    else if (command.kind === 'seek') this.seek(command.seconds);
    else this[command.kind]();
  }

  append(samples: Float32Array): void {
    for (let from = 0; from < samples.length; ) {
      const start = this.#count % blockLength;
      if (start === 0) this.#blocks.push(new Float32Array(blockLength));
      const part = samples.subarray(from, from + blockLength - start);
      this.#blocks.at(-1)?.set(part, start);
      this.#count += part.length;
      from += part.length;
    }
  }

  /** No more samples will be appended. */
  complete(): void {
    this.#complete = true;
  }

  play(): void {
    this.#playing = true;
    if (this.state === 'ended') this.#position = 0;
  }

  pause(): void {
    this.#playing = false;
  }

  seek(seconds: number): void {
    this.#position = Math.max(0, Math.min(this.#count, seconds * this.#sampleRate));
  }

  /** Fills `output` with the next samples, and with silence where there are none. */
  read(output: Float32Array): void {
    output.fill(0);
    if (this.state === 'ended') this.#runOut();
    if (!this.#playing) return;
    if (this.#starved && !this.#filled()) return;
    this.#starved = false;
    for (let at = 0; at < output.length; at++) {
      const before = Math.floor(this.#position);
      if (before >= this.#count) {
        this.#runOut();
        return;
      }
      const sample = this.#at(before);
      const after = before + 1 < this.#count ? this.#at(before + 1) : sample;
      output[at] = sample + (after - sample) * (this.#position - before);
      this.#position += this.#step;
    }
  }

  #at(index: number): number {
    return this.#blocks[index >> blockBits]?.[index % blockLength] ?? 0;
  }

  #filled(): boolean {
    return this.#complete || this.#count - this.#position >= this.#reserve * this.#sampleRate;
  }

  /** Fewer but longer pauses when generation is slower than playback. After the end, seeking alone does not play. */
  #runOut(): void {
    if (this.#complete) {
      this.#playing = false;
      return;
    }
    this.#starved = true;
    this.#reserve = Math.min(mostReserve, this.#reserve * 2);
  }
}
