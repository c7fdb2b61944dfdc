/** One streamed utterance: asked for, read piece by piece, measured, cancelled. */
import { postJob, warningsOf } from './api.js';
import { createPcmParser } from './pcm.js';

/**
 * @typedef {object} Progress
 * @property {number} sampleRate
 * @property {number} sampleCount so far
 * @property {number} firstAudio seconds from the request to the first samples
 * @property {number} elapsed seconds from the request to the latest samples
 *
 * @typedef {object} Listener
 * @property {(sampleRate: number, warnings: readonly string[]) => Promise<void>} onStart
 * @property {(samples: Float32Array, progress: Progress) => void} onSamples
 */

/**
 * @param {import('./api.js').SpeechRequest} request
 * @param {Listener} listener
 * @param {AbortSignal} signal
 */
export async function streamSpeech(request, { onStart, onSamples }, signal) {
  const asked = performance.now();
  const seconds = () => (performance.now() - asked) / 1000;
  await postJob('v1/audio/speech/stream', request, signal, async ({ headers, body }) => {
    const sampleRate = Number(headers.get('X-Sample-Rate'));
    if (!(sampleRate > 0) || !body) throw new Error('expected samples with X-Sample-Rate from the server');
    await onStart(sampleRate, warningsOf(headers));
    try {
      await readSamples(body, sampleRate, seconds, onSamples);
    } catch (thrown) {
      // What the browser reports when the server breaks off, which is how errors look once audio has been sent.
      if (!(thrown instanceof TypeError)) throw thrown;
      throw new Error('The server broke off before the speech was complete.', { cause: thrown });
    }
  });
}

/** @param {ReadableStream<Uint8Array>} body @param {number} sampleRate @param {() => number} seconds @param {Listener['onSamples']} onSamples */
async function readSamples(body, sampleRate, seconds, onSamples) {
  const parse = createPcmParser();
  const reader = body.getReader();
  let sampleCount = 0;
  let firstAudio = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const samples = parse(value);
    if (samples.length === 0) continue;
    if (sampleCount === 0) firstAudio = seconds();
    sampleCount += samples.length;
    onSamples(samples, { sampleRate, sampleCount, firstAudio, elapsed: seconds() });
  }
}
