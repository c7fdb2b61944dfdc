/** Speech, streamed to this page or played on the server. */
import { announce, notify, showWarnings } from '../shared/announce.ts';
import { button, markInvalid } from '../shared/dom.ts';
import { prepareOutput } from '../shared/player.ts';
import { onSubmit, runJob } from '../shared/speech-form.ts';
import { playUtterance } from '../shared/utterance.ts';
import { ApiError, knownServer, postJob } from './api.ts';
import { keepResult } from './history.ts';
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

/** Ids of the controls by the names of the fields. */
const controls: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  input: 'text',
  model: 'model',
  voice: 'voice',
  input_format: 'input-format',
  seed: 'seed',
  speed: 'speed',
  language: 'language',
  normalize: 'normalize',
  cfg_value: 'cfg',
  inference_timesteps: 'timesteps',
};

/** Marks the field of the page that the server refuses, if the user has a control; one in closed options is opened. */
function markRefused(thrown: unknown): void {
  const id = thrown instanceof ApiError ? controls[thrown.param?.split('.')[0] ?? ''] : undefined;
  const control = id === undefined ? null : document.getElementById(id);
  if (control === null || control.closest('[hidden]') !== null) return;
  control.closest('details')?.setAttribute('open', '');
  markInvalid(control);
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
