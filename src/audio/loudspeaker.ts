/** Plays speech on this machine through the Web Audio API (node-web-audio-api). */
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, SvcError } from '../errors.ts';
import type { AudioSink } from './encode/sink.ts';
import { loadWebAudio } from './libraries/web-audio.ts';

/**
 * Opens the audio output. `write` resolves when at most `leadSeconds` are still to be played, `finish` when all has been
 * played; `abort` stops immediately.
 *
 * @throws SvcError PLAYBACK_UNAVAILABLE when this machine has no audio output
 */
export type OpenPlayer = (sampleRate: number) => Promise<AudioSink>;

/** The part of the Web Audio API in use; its own types would pull in the DOM's. */
interface WebAudio {
  readonly AudioContext: new (options: {
    readonly sampleRate: number;
    readonly latencyHint: 'playback';
  }) => OutputContext;
}

interface OutputContext {
  readonly currentTime: number;
  readonly destination: object;
  createBuffer(
    channels: number,
    length: number,
    sampleRate: number,
  ): { copyToChannel(data: Float32Array, channel: number): void };
  createBufferSource(): { buffer: object | null; connect(target: object): void; start(when: number): void };
  close(): Promise<void>;
}

/** Audio scheduled ahead, in seconds. */
const leadSeconds = 1;
/** Silence before a late piece, so that its start is not cut off. */
const lateSeconds = 0.05;
/** Time for the system's buffers to drain at the end, in seconds; the library doesn't report their length. */
const tailSeconds = 0.3;

export const openPlayer: OpenPlayer = async (sampleRate) => {
  const context = await openContext(sampleRate);
  let end = 0;
  let open = true;
  const untilAhead = async (seconds: number): Promise<void> => {
    while (open && end - context.currentTime > seconds) {
      await wait(Math.max(5, (end - context.currentTime - seconds) * 1000));
    }
  };
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await context.close().catch(() => undefined);
  };
  return {
    async write(samples) {
      if (samples.length === 0) return;
      const buffer = context.createBuffer(1, samples.length, sampleRate);
      buffer.copyToChannel(samples, 0);
      const source = context.createBufferSource();
      source.buffer = buffer;
      source.connect(context.destination);
      const start = end > context.currentTime ? end : context.currentTime + lateSeconds;
      source.start(start);
      end = start + samples.length / sampleRate;
      await untilAhead(leadSeconds);
    },
    async finish() {
      await untilAhead(-tailSeconds);
      await close();
    },
    abort: close,
  };
};

async function openContext(sampleRate: number): Promise<OutputContext> {
  try {
    const { AudioContext } = await loadWebAudio<WebAudio>('playback');
    // Large buffers: latency doesn't matter, and a busy machine must not cause stutter.
    return new AudioContext({ sampleRate, latencyHint: 'playback' });
  } catch (cause) {
    if (cause instanceof SvcError)
      throw new SvcError('PLAYBACK_UNAVAILABLE', cause.problem, { cause, remedy: cause.remedy });
    const reason = messageOf(cause).split('\n')[0];
    throw new SvcError('PLAYBACK_UNAVAILABLE', `this machine has no usable audio output: ${reason}`, { cause });
  }
}
