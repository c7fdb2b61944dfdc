/**
 * Audio that grows while it is played. Runs on the audio thread, and anywhere else: it knows nothing of the browser.
 *
 * @typedef {'paused' | 'waiting' | 'playing' | 'ended'} TrackState
 */

/** Seconds that must be there before the first sound; each time they don't suffice, twice as many are asked for. */
const firstReserve = 0.1;
const mostReserve = 4;

/** Samples are kept in blocks: one array that grows would be copied on the audio thread, which has no time for it. */
const blockBits = 16;
const blockLength = 1 << blockBits;

export class PcmTrack {
  /** @type {Float32Array[]} */
  #blocks = [];
  #count = 0;
  #position = 0;
  #complete = false;
  #playing = true;
  #reserve = firstReserve;
  #starved = true;
  #sampleRate;
  #step;

  /** @param {number} sampleRate of the audio @param {number} outputRate of the device */
  constructor(sampleRate, outputRate) {
    this.#sampleRate = sampleRate;
    this.#step = sampleRate / outputRate;
  }

  /** Seconds. */
  get position() {
    return Math.min(this.#position, this.#count) / this.#sampleRate;
  }

  /** @returns {TrackState} */
  get state() {
    if (this.#complete && this.#position >= this.#count) return 'ended';
    if (!this.#playing) return 'paused';
    return this.#starved ? 'waiting' : 'playing';
  }

  /** @param {Float32Array} samples */
  append(samples) {
    for (let from = 0; from < samples.length; ) {
      const start = this.#count % blockLength;
      if (start === 0) this.#blocks.push(new Float32Array(blockLength));
      const part = samples.subarray(from, from + blockLength - start);
      this.#blocks.at(-1)?.set(part, start);
      this.#count += part.length;
      from += part.length;
    }
  }

  /** Nothing comes any more. */
  complete() {
    this.#complete = true;
  }

  play() {
    this.#playing = true;
    if (this.state === 'ended') this.#position = 0;
  }

  pause() {
    this.#playing = false;
  }

  /** @param {number} seconds */
  seek(seconds) {
    this.#position = Math.max(0, Math.min(this.#count, seconds * this.#sampleRate));
  }

  /** Fills `output` with what comes next: silence where nothing does. @param {Float32Array} output */
  read(output) {
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

  /** @param {number} index */
  #at(index) {
    return this.#blocks[index >> blockBits]?.[index % blockLength] ?? 0;
  }

  #filled() {
    return this.#complete || this.#count - this.#position >= this.#reserve * this.#sampleRate;
  }

  /** A generator slower than speech makes longer pauses, but fewer. Who seeks after the end does not ask for sound. */
  #runOut() {
    if (this.#complete) {
      this.#playing = false;
      return;
    }
    this.#starved = true;
    this.#reserve = Math.min(mostReserve, this.#reserve * 2);
  }
}
