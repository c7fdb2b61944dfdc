/** A text into a file of audio, part by part. */
import type { AudioSink } from '../../audio/sink.ts';
import type { Engine, SynthesizeOptions } from '../../engine/engine.ts';
import type { SynthesisRequest } from '../../engine/request.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/options.ts';
import type { Output } from './output.ts';
import { openSink } from './speech-sink.ts';

/** What is known of the audio once it is spoken. */
export interface Spoken {
  readonly samples: number;
  readonly sampleRate: number;
  readonly patches: number;
  readonly seed: number;
  readonly end: 'stop' | 'limit' | undefined;
  /** Parts that the text was spoken in. */
  readonly parts: number;
  readonly warnings: readonly string[];
}

export interface SpeakToFile extends SynthesizeOptions {
  readonly signal: AbortSignal;
  readonly engine: Engine;
  readonly request: SynthesisRequest;
  readonly output: Output;
  /** Told what is known before anything is spoken. */
  readonly onWarnings?: (warnings: readonly string[]) => void;
}

/** @throws SvcError; nothing is left of the file then. */
export async function speakToFile(
  { engine, request, output, onWarnings, ...options }: SpeakToFile,
  { speed }: OutputOptions,
  io: Io,
): Promise<Spoken> {
  const stream = engine.synthesizeParts(request, options);
  const { sampleRate, warnings } = stream;
  onWarnings?.(warnings);
  let spoken: Spoken = { samples: 0, sampleRate, patches: 0, seed: stream.seed, end: 'stop', parts: 0, warnings };
  let sink: AudioSink | undefined;
  try {
    for await (const { index, samples, patches, end, seed } of stream) {
      sink ??= await openSink(output, sampleRate, { speed }, io);
      await sink.write(samples);
      spoken = {
        samples: spoken.samples + samples.length,
        sampleRate,
        patches: spoken.patches + patches,
        // A text of one part may have been spoken again, with another seed.
        seed: index === 0 ? seed : stream.seed,
        end: end === 'limit' ? end : spoken.end,
        parts: index + 1,
        warnings,
      };
    }
    options.signal.throwIfAborted();
    await sink?.finish();
  } catch (error) {
    await sink?.abort();
    throw error;
  }
  return spoken;
}
