/** Opens the destination of speech. */
import { createAudioFile, createAudioStream, openEncoder, universalRate } from '../../audio/encode/format.ts';
import type { AudioSink } from '../../audio/encode/sink.ts';
import { createSpeed } from '../../audio/resample/speed.ts';
import { ranges } from '../../engine/request-fields.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/output-options.ts';
import type { Output } from './output.ts';

/** Loads what format and speed need, so that a missing package fails early. @throws SvcError BACKEND_UNAVAILABLE */
export async function checkSink(output: Output, { speed = ranges.speed.default }: OutputOptions): Promise<void> {
  if (output.kind !== 'loudspeaker') (await openEncoder({ ...output, sampleRate: universalRate })).close();
  (await createSpeed(universalRate, speed)).close();
}

/** Opens the destination of speech at `sampleRate` Hz. */
export async function openSink(output: Output, sampleRate: number, io: Io): Promise<AudioSink> {
  if (output.kind === 'loudspeaker') return openPlayer(sampleRate, io);
  const { format, sampleFormat } = output;
  return output.kind === 'file'
    ? createAudioFile(output.path, { format, sampleFormat, sampleRate })
    : createAudioStream(io.stdout, { format, sampleFormat, sampleRate }, io.signal);
}

/** The loudspeaker, silent at once when the command is interrupted. */
async function openPlayer(sampleRate: number, { loudspeaker, signal }: Io): Promise<AudioSink> {
  const player = await loudspeaker.open(sampleRate);
  const silence = (): void => void player.abort();
  signal.addEventListener('abort', silence, { once: true });
  return {
    ...player,
    async finish() {
      await player.finish();
      signal.removeEventListener('abort', silence);
      signal.throwIfAborted();
    },
  };
}
