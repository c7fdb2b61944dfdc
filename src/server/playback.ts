/** Speech from the loudspeaker of the machine that serves, by the Web Audio API (node-web-audio-api). */
import { setTimeout as wait } from 'node:timers/promises';
import type { AudioSink } from '../audio/sink.ts';
import { messageOf, SvcError } from '../errors.ts';
import { loadOptional } from '../optional-package.ts';

/**
 * The loudspeaker. `write` resolves when more may come, at most `leadSeconds` waiting to be heard; `finish` when all has been
 * heard; `abort` is silence at once.
 *
 * @throws SvcError PLAYBACK_UNAVAILABLE when this machine has no audio output.
 */
export type OpenPlayer = (sampleRate: number) => Promise<AudioSink>;

/** What is used of the Web Audio API; its own types would bring those of browsers along. */
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

const webAudio: string = 'node-web-audio-api';

/** Audio that is scheduled ahead, in seconds; what a cancelled job may still be heard of. */
const leadSeconds = 1;
/** Silence before a piece that comes late, so that it is heard from its beginning. */
const lateSeconds = 0.05;
/** What the system's buffers may still hold when the clock says that all is over; the library does not know how much. */
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
    const { AudioContext } = await loadOptional<WebAudio>('playback', () => import(webAudio));
    // The largest buffers: nobody plays along, and a busy machine must not make it stutter.
    return new AudioContext({ sampleRate, latencyHint: 'playback' });
  } catch (cause) {
    if (cause instanceof SvcError) throw new SvcError('PLAYBACK_UNAVAILABLE', cause.message, { cause });
    const received = messageOf(cause).split('\n')[0];
    throw new SvcError(
      'PLAYBACK_UNAVAILABLE',
      `expected an audio output of this machine for playback, received none: ${received}`,
      {
        cause,
      },
    );
  }
}
