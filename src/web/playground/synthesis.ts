/** Speech as a stream of samples. */
import { createParser } from 'eventsource-parser';
import { formatCaptions } from '../../captions/captions.ts';
import type { TimedSentence, TimedWord } from '../../engine/timing/timed-text.ts';
import { showWarnings } from '../shared/announce.ts';
import type { Encode } from '../shared/audio-card.ts';
import { createWavParser } from '../shared/pcm.ts';
import type { Listener } from '../shared/utterance.ts';
import { post, postJob, type SpeechRequest, type TimedAnswer, warningsOf } from './api.ts';

type SpeechEvent =
  | { readonly type: 'speech.audio.delta'; readonly audio: string }
  | { readonly type: 'speech.audio.done'; readonly warnings?: readonly string[] }
  | { readonly type: 'error'; readonly error: { readonly message: string } };

const lost = 'The connection was lost before the speech was complete. Try again.';

/**
 * Streams speech as server-sent events: the last one has the warnings that are known at the end only, which browsers would drop
 * from a trailer. WAV has the sample rate of the model.
 *
 * @returns all warnings
 */
export async function streamSpeech(
  request: SpeechRequest,
  listener: Listener,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const body = { ...request, response_format: 'wav', stream_format: 'sse' };
  let warnings: readonly string[] | undefined;
  await postJob('v1/audio/speech?events=public', body, signal, async ({ headers, body: stream }) => {
    const sampleRate = Number(headers.get('X-Sample-Rate'));
    if (!(sampleRate > 0) || !stream) throw new Error('The server sent no audio. Check its version and its proxy.');
    showWarnings(warningsOf(headers));
    await listener.onStart(sampleRate, encoderOf(request));
    const parse = createWavParser();
    try {
      for await (const event of eventsOf(stream)) {
        if (event.type === 'error') throw new Error(event.error.message);
        if (event.type === 'speech.audio.done') warnings = event.warnings ?? [];
        if (event.type === 'speech.audio.delta') listener.onSamples(parse(bytesOf(event.audio)));
      }
    } catch (thrown) {
      // Browsers throw a TypeError when the connection is reset.
      if (!(thrown instanceof TypeError)) throw thrown;
      throw new Error(lost, { cause: thrown });
    }
  });
  if (warnings === undefined) throw new Error(lost);
  return warnings;
}

async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<SpeechEvent, void, undefined> {
  const received: SpeechEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => received.push(JSON.parse(data)) });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parser.feed(decoder.decode(part.value, { stream: true }));
    yield* received.splice(0);
  }
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Makes files of a speech in other formats, or its captions: with the same seed, and no retry, as in a stream. */
export const encoderOf =
  (request: SpeechRequest): Encode =>
  async (format) => {
    if (format === 'srt' || format === 'vtt' || format === 'json') {
      const captions = formatCaptions(await timesOf(request), format, { highlight: 'words' });
      return new Blob([captions], { type: format === 'json' ? 'application/json' : 'text/plain' });
    }
    const body = { ...request, retry_badcase: false, response_format: format, stream: false };
    return (await post('v1/audio/speech', body)).blob();
  };

const known = new WeakMap<SpeechRequest, Promise<readonly TimedSentence[]>>();

/** The times of the words of a speech, which the server generates once more. */
export function timesOf(request: SpeechRequest): Promise<readonly TimedSentence[]> {
  const times = known.get(request) ?? fetchTimes({ ...request, retry_badcase: false });
  known.set(request, times);
  times.catch(() => known.delete(request));
  return times;
}

async function fetchTimes(request: object): Promise<readonly TimedSentence[]> {
  // Only the times of the audio are used, so it should be small.
  const body = { ...request, response_format: 'opus', stream_format: 'json', timestamps: 'word' };
  const { timestamps }: TimedAnswer = await (await post('v1/audio/speech', body)).json();
  const sentences: TimedWord[][] = [];
  for (const { sentence, ...word } of timestamps.items) {
    sentences[sentence] ??= [];
    sentences[sentence].push(word);
  }
  return sentences
    .filter((words) => words !== undefined)
    .map((words) => ({
      text: words.map(({ text }) => text).join(' '),
      start: words[0]?.start ?? 0,
      end: words.at(-1)?.end ?? 0,
      words,
      method: 'estimated' as const,
    }));
}
