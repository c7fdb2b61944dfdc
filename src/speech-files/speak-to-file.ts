/** Writes the speech of a text to an audio file, part by part. */

import { type AudioFormatName, createAudioFile } from '../audio/encode/format.ts';
import { type AudioSink, through } from '../audio/encode/sink.ts';
import type { SampleFormat } from '../audio/encode/wav-encode.ts';
import { createConverter } from '../audio/resample/convert.ts';
import type { Attempt, SpeechSource, SynthesizeOptions } from '../engine/engine.ts';
import { ranges, type SynthesisRequest } from '../engine/request.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';

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

export interface AudioFile {
  readonly path: string;
  readonly format: AudioFormatName;
  readonly sampleFormat: SampleFormat;
  readonly speed?: number | undefined;
}

export interface SpeakToFile extends SynthesizeOptions {
  readonly signal: AbortSignal;
  /** Workers behind a broker report no progress and choose how many parts they speak at once. */
  readonly engine: Pick<SpeechSource, 'synthesizeParts'>;
  readonly request: SynthesisRequest;
  readonly output: AudioFile;
  /** Called with the warnings that are known before synthesis starts. */
  readonly onWarnings?: (warnings: readonly string[]) => void;
}

/** @throws SvcError; no file is left then */
export async function speakToFile({ engine, request, output, onWarnings, ...options }: SpeakToFile): Promise<Spoken> {
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
      sink ??= await createFile(output, sampleRate);
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

async function createFile(
  { path, format, sampleFormat, speed = ranges.speed.default }: AudioFile,
  sampleRate: number,
): Promise<AudioSink> {
  const converter = await createConverter({ speed, from: sampleRate, to: sampleRate });
  return through(converter, await createAudioFile(path, { format, sampleFormat, sampleRate }));
}
