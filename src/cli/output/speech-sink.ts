/** From the options of a command to the place where its speech goes. */
import { createConverter } from '../../audio/convert.ts';
import { createAudioFile, createAudioStream, openEncoder } from '../../audio/format.ts';
import { type AudioSink, through } from '../../audio/sink.ts';
import { ranges } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/options.ts';
import type { Output } from './output.ts';

/** A rate that all formats have. */
const usualRate = 48_000;

/**
 * Loads what the format and the speed need: nobody should wait for speech that can't be written then.
 *
 * @throws SvcError BACKEND_UNAVAILABLE when a package is missing.
 */
export async function checkSink(output: Output, { speed = ranges.speed.default }: OutputOptions): Promise<void> {
  (await openEncoder({ ...output, sampleRate: usualRate })).close();
  (await createConverter({ speed, from: usualRate, to: usualRate })).close();
}

/** The sink of speech at `sampleRate`, as `createAudioFile` and `createAudioStream` make it. */
export async function openSink(
  output: Output,
  sampleRate: number,
  { speed = ranges.speed.default }: OutputOptions,
  io: Io,
): Promise<AudioSink> {
  const { format, sampleFormat } = output;
  const converter = await createConverter({ speed, from: sampleRate, to: sampleRate });
  const sink =
    output.kind === 'file'
      ? await createAudioFile(output.path, { format, sampleFormat, sampleRate })
      : createAudioStream(io.stdout, { format, sampleFormat, sampleRate });
  return through(converter, sink);
}
