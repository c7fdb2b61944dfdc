/** Passes a speech on to a file, a stream or a loudspeaker, event by event. */
import { type AudioFormatName, createAudioFile } from '../audio/encode/format.ts';
import type { AudioSink } from '../audio/encode/sink.ts';
import type { SampleFormat } from '../audio/encode/wav-encode.ts';
import type { Accepted } from '../engine/accepted.ts';
import type { Attempt, SpeakOptions, SpeechSource } from '../engine/engine.ts';
import type { LiveSpeech } from '../engine/live/live-request.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';

/** A speech without its samples. */
export interface SpeechSummary {
  /** At the speed of the request. */
  readonly samples: number;
  readonly sampleRate: number;
  readonly patches: number;
  readonly seed: number;
  readonly end: 'stop' | 'limit' | undefined;
  /** Parts that the text was split into. */
  readonly parts: number;
  /** With `timestamps`. */
  readonly sentences: readonly TimedSentence[];
  /** What was found in each attempt at each part, of speech that may be retracted. */
  readonly tries: readonly Attempt[];
  readonly warnings: readonly string[];
}

export interface AudioFile {
  readonly path: string;
  readonly format: AudioFormatName;
  readonly sampleFormat: SampleFormat;
}

export interface SpeakToSink extends SpeakOptions {
  /** Workers behind a broker report no progress and choose how many parts they speak at once. */
  readonly engine: Pick<SpeechSource, 'speak' | 'info'>;
  readonly speech: Accepted | LiveSpeech;
  /**
   * Opens the destination: with the first audio if the speech may be retracted, so that a failure before leaves no file; else
   * before anything is computed.
   */
  readonly open: (sampleRate: number) => Promise<AudioSink>;
}

/** @throws SvcError; the destination is aborted then, so that no file is left */
export async function speakToSink({ engine, speech, open, ...options }: SpeakToSink): Promise<SpeechSummary> {
  const { outputSampleRate: sampleRate } = engine.info;
  const { signal, mayRetract } = options;
  const sentences: TimedSentence[] = [];
  const tries: Attempt[] = [];
  const warnings = [...speech.warnings];
  let summary = { samples: 0, sampleRate, patches: 0, seed: speech.seed, parts: 0 };
  let end: SpeechSummary['end'] = mayRetract ? 'stop' : undefined;
  let sink = mayRetract ? undefined : await open(sampleRate);
  try {
    for await (const event of engine.speak(speech, options)) {
      sink ??= await open(sampleRate);
      await sink.write(event.samples);
      const { part, seed } = event;
      sentences.push(...(event.sentences ?? []));
      warnings.push(...(event.warnings ?? []));
      if (event.end !== undefined && end !== 'limit') end = event.end;
      if (mayRetract) tries.push(...(event.attempts ?? []));
      summary = {
        ...summary,
        samples: summary.samples + event.samples.length,
        patches: summary.patches + event.patches,
        // A text of one part may have been regenerated with another seed.
        seed: mayRetract && part === 0 && seed !== undefined ? seed : speech.seed,
        parts: part + 1,
      };
    }
    signal?.throwIfAborted();
    await sink?.finish();
  } catch (error) {
    await sink?.abort();
    throw error;
  }
  return { ...summary, end, sentences, tries, warnings };
}

export interface SpeakToFile extends Omit<SpeakToSink, 'open' | 'mayRetract'> {
  readonly output: AudioFile;
}

/** Speaks a text that is complete into a file. @throws SvcError; no file is left then */
export const speakToFile = ({ output, ...speaking }: SpeakToFile): Promise<SpeechSummary> =>
  speakToSink({
    ...speaking,
    mayRetract: true,
    open: (sampleRate) => createAudioFile(output.path, { ...output, sampleRate }),
  });
