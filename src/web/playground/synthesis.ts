/** Speech as a stream of samples. */
import { showWarnings } from '../shared/announce.ts';
import { createPcmParser } from '../shared/pcm.ts';
import type { Listener } from '../shared/utterance.ts';
import { post, postJob, type SpeechRequest, warningsOf } from './api.ts';

export async function streamSpeech(request: SpeechRequest, listener: Listener, signal: AbortSignal): Promise<void> {
  await postJob('v1/audio/speech/stream', request, signal, async ({ headers, body }) => {
    const sampleRate = Number(headers.get('X-Sample-Rate'));
    if (!(sampleRate > 0) || !body) throw new Error('The server sent no audio. Check its version and its proxy.');
    showWarnings(warningsOf(headers));
    await listener.onStart(sampleRate, (format) => encodeAgain(request, format));
    try {
      const parse = createPcmParser();
      const reader = body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        listener.onSamples(parse(part.value));
      }
    } catch (thrown) {
      // What the browser throws when the server resets the connection, its way to fail once audio has been sent.
      if (!(thrown instanceof TypeError)) throw thrown;
      throw new Error('The connection was lost before the speech was complete. Try again.', { cause: thrown });
    }
  });
}

/** The same audio in another format: the same seed, and no retry, as in a stream. */
async function encodeAgain(request: SpeechRequest, format: string): Promise<Blob> {
  const body = { ...request, response_format: format, retry_badcase: false, stream: false };
  return (await post('v1/audio/speech', body)).blob();
}
