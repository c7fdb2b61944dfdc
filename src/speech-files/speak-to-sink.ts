/** Passes a speech on to a file, a stream or a loudspeaker, event by event. */
import { type AudioFormatName, createAudioFile } from '../audio/encode/format.ts';
import type { AudioSink } from '../audio/encode/sink.ts';
import type { SampleFormat } from '../audio/encode/wav-encode.ts';
import type { Accepted } from '../engine/accepted.ts';
import type { LiveSpeech } from '../engine/live/live-request.ts';
import { createSummary, type SpeechSummary } from '../engine/speech.ts';
import type { SpeakOptions, SpeechSource } from '../engine/speech-source.ts';

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
  const summary = createSummary(speech, { sampleRate, mayRetract });
  let sink = mayRetract ? undefined : await open(sampleRate);
  try {
    for await (const event of engine.speak(speech, options)) {
      sink ??= await open(sampleRate);
      await sink.write(event.samples);
      summary.add(event);
    }
    signal?.throwIfAborted();
    await sink?.finish();
  } catch (error) {
    await sink?.abort();
    throw error;
  }
  return summary.result();
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
