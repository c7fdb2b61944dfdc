/** Writes the speech of a text to an audio file, part by part. */
import type { AudioSink } from '../../audio/sink.ts';
import type { Attempt, Engine, SynthesizeOptions } from '../../engine/engine.ts';
import type { SynthesisRequest } from '../../engine/request.ts';
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import type { Io } from '../io.ts';
import type { OutputOptions } from '../options/options.ts';
import type { EncodedOutput } from './output.ts';
import { openSink } from './speech-sink.ts';

/** The audio of a text, without its samples. */
export interface Spoken {
  readonly samples: number;
  readonly sampleRate: number;
  readonly patches: number;
  readonly seed: number;
  readonly end: 'stop' | 'limit' | undefined;
  /** Parts that the text was split into. */
  readonly parts: number;
  /** With `timestamps`. */
  readonly sentences: readonly TimedSentence[];
  /** What was found in each attempt at each part. */
  readonly tries: readonly Attempt[];
  readonly warnings: readonly string[];
}

export interface SpeakToFile extends SynthesizeOptions {
  readonly signal: AbortSignal;
  readonly engine: Engine;
  readonly request: SynthesisRequest;
  readonly output: EncodedOutput;
  /** Called with the warnings that are known before synthesis starts. */
  readonly onWarnings?: (warnings: readonly string[]) => void;
}

/** @throws SvcError; no file is left then */
export async function speakToFile(
  { engine, request, output, onWarnings, ...options }: SpeakToFile,
  { speed }: OutputOptions,
  io: Io,
): Promise<Spoken> {
  const stream = engine.synthesizeParts(request, options);
  const { sampleRate, warnings } = stream;
  onWarnings?.(warnings);
  const tried: Attempt[] = [];
  let spoken: Spoken = {
    samples: 0,
    sampleRate,
    patches: 0,
    seed: stream.seed,
    end: 'stop',
    parts: 0,
    sentences: [],
    tries: tried,
    warnings,
  };
  let sink: AudioSink | undefined;
  try {
    for await (const { index, samples, patches, end, seed, sentences = [], tries } of stream) {
      tried.push(...tries);
      sink ??= await openSink(output, sampleRate, { speed }, io);
      await sink.write(samples);
      spoken = {
        samples: spoken.samples + samples.length,
        sampleRate,
        patches: spoken.patches + patches,
        // A text of one part may have been regenerated with another seed.
        seed: index === 0 ? seed : stream.seed,
        end: end === 'limit' ? end : spoken.end,
        parts: index + 1,
        sentences: [...spoken.sentences, ...sentences],
        tries: tried,
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
