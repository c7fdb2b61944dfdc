/** Speech, streamed to this page or played on the server. */
import { announce, notify, showWarnings } from '../shared/announce.ts';
import { button } from '../shared/dom.ts';
import { prepareOutput } from '../shared/player.ts';
import { onSubmit, runJob } from '../shared/speech-form.ts';
import { playUtterance } from '../shared/utterance.ts';
import { knownServer, postJob } from './api.ts';
import { keepResult } from './history.ts';
import { markRefused } from './invalid-field.ts';
import { forgetWords, offerWords } from './read-along.ts';
import { readRequest } from './request.ts';
import { streamSpeech } from './synthesis.ts';

const serverPlay = button('server-play');

async function speakHere(signal: AbortSignal): Promise<void> {
  const sampleRate = knownServer()?.sample_rate ?? undefined;
  // Now, while the browser still counts the click as a request for sound.
  if (sampleRate !== undefined) prepareOutput(sampleRate);
  const request = await readRequest();
  forgetWords();
  await playUtterance(request.seed, (listener) => streamSpeech(request, listener, signal), signal);
  offerWords(request);
  await keepResult(request);
}

async function speakOnServer(signal: AbortSignal): Promise<void> {
  const request = await readRequest();
  serverPlay.setAttribute('aria-busy', 'true');
  announce('Playing on the server.');
  try {
    await postJob('v1/audio/speech/playback', request, signal, async (response) => {
      const { duration_seconds: seconds, warnings = [] } = await response.json();
      showWarnings(warnings);
      notify(`Played ${seconds.toFixed(1)} seconds of audio on the server.`);
    });
  } finally {
    serverPlay.removeAttribute('aria-busy');
  }
}

const marking =
  (speak: (signal: AbortSignal) => Promise<void>) =>
  async (signal: AbortSignal): Promise<void> => {
    try {
      await speak(signal);
    } catch (thrown) {
      markRefused(thrown);
      throw thrown;
    }
  };

onSubmit(marking(speakHere));
serverPlay.addEventListener('click', () => void runJob(marking(speakOnServer)));
