/**
 * Audio that grows while it is played. Runs on the audio thread, and anywhere else: it knows nothing of the browser.
 *
 * @typedef {'paused' | 'waiting' | 'playing' | 'ended'} TrackState
 */

/** Seconds that must be there before the first sound; each time they don't suffice, twice as many are asked for. */
const firstReserve = 0.1;
const mostReserve = 4;

export class PcmTrack {
  #samples = new Float32Array(65_536);
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
    const needed = this.#count + samples.length;
    if (needed > this.#samples.length) {
      const grown = new Float32Array(Math.max(needed, this.#samples.length * 2));
      grown.set(this.#samples.subarray(0, this.#count));
      this.#samples = grown;
    }
    this.#samples.set(samples, this.#count);
    this.#count = needed;
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
      const sample = this.#samples[before] ?? 0;
      const after = before + 1 < this.#count ? (this.#samples[before + 1] ?? 0) : sample;
      output[at] = sample + (after - sample) * (this.#position - before);
      this.#position += this.#step;
    }
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
