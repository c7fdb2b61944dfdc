/** Speech as a stream of samples. */
import { formatCaptions } from '../../captions/captions.ts';
import type { TimedSentence, TimedWord } from '../../engine/timing/timed-text.ts';
import { showWarnings } from '../shared/announce.ts';
import type { Encode } from '../shared/audio-card.ts';
import { createPcmParser } from '../shared/pcm.ts';
import type { Listener } from '../shared/utterance.ts';
import { post, postJob, type SpeechRequest, type TimedAnswer, warningsOf } from './api.ts';

export async function streamSpeech(request: SpeechRequest, listener: Listener, signal: AbortSignal): Promise<void> {
  await postJob('v1/audio/speech/stream', request, signal, async ({ headers, body }) => {
    const sampleRate = Number(headers.get('X-Sample-Rate'));
    if (!(sampleRate > 0) || !body) throw new Error('The server sent no audio. Check its version and its proxy.');
    showWarnings(warningsOf(headers));
    await listener.onStart(sampleRate, encoderOf(request));
    try {
      const parse = createPcmParser();
      const reader = body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        listener.onSamples(parse(part.value));
      }
    } catch (thrown) {
      // Browsers throw a TypeError when the server resets the connection, its way to fail once audio has been sent.
      if (!(thrown instanceof TypeError)) throw thrown;
      throw new Error('The connection was lost before the speech was complete. Try again.', { cause: thrown });
    }
  });
}

/** The same audio in another format, or its captions: the same seed, and no retry, as in a stream. */
async function encodeAgain(request: SpeechRequest, format: string): Promise<Blob> {
  const again = { ...request, retry_badcase: false };
  if (format === 'srt' || format === 'vtt' || format === 'json') {
    const captions = formatCaptions(await timesOf(request), format, { highlight: 'words' });
    return new Blob([captions], { type: format === 'json' ? 'application/json' : 'text/plain' });
  }
  return (await post('v1/audio/speech', { ...again, response_format: format, stream: false })).blob();
}

/** Makes files of the speech of a request. */
export const encoderOf =
  (request: SpeechRequest): Encode =>
  (format) =>
    encodeAgain(request, format);

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
