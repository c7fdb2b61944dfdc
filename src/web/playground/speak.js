/** The form that speaks: here as a stream, or on the server's own speaker. One at a time. */
import { announce, clearError, notify, showError, showWarnings } from './announce.js';
import { post, postJob } from './api.js';
import * as card from './audio-card.js';
import { block, button, element, isAbort } from './dom.js';
import { keepSeed, readOptions } from './options.js';
import { prepareOutput } from './player.js';
import { knownServer, loadServer } from './server.js';
import { streamSpeech } from './synthesis.js';
import { selectedVoice } from './voices.js';

const form = element('speak-form', HTMLFormElement);
const text = element('text', HTMLTextAreaElement);
const speak = button('speak');
const cancel = button('cancel');
const serverPlay = button('server-play');
const seedKeep = button('seed-keep');

const examples = [
  'Hello from your own machine.',
  'The quick brown fox jumps over the lazy dog.',
  'Every voice has a story to tell.',
  'Nothing you write here leaves this computer.',
];
let example = 0;

/** @type {AbortController | undefined} */
let running;

/** @returns {Promise<import('./api.js').SpeechRequest>} */
async function readRequest() {
  if (text.value.trim() === '') {
    text.setAttribute('aria-invalid', 'true');
    text.focus();
    throw new Error('Write what it shall say first.');
  }
  const options = readOptions();
  const { model } = await loadServer();
  const voice = selectedVoice();
  return { model, input: text.value, ...(voice !== '' && { voice }), ...options };
}

/** Runs one job; whatever becomes of it, the form is usable again. @param {(signal: AbortSignal) => Promise<void>} job */
async function run(job) {
  if (running) return;
  clearError();
  const controller = new AbortController();
  running = controller;
  showRunning();
  try {
    await job(controller.signal);
  } catch (thrown) {
    if (isAbort(thrown)) announce('Cancelled.');
    else showError(thrown);
  } finally {
    running = undefined;
    showRunning();
  }
}

function showRunning() {
  const busy = running !== undefined;
  // Not `disabled`, which would take the focus from the button that was just pressed.
  for (const pressed of [speak, serverPlay]) pressed.setAttribute('aria-disabled', String(busy));
  form.classList.toggle('busy', busy);
  if (!busy && document.activeElement === cancel) speak.focus();
  cancel.disabled = !busy;
}

/** @param {AbortSignal} signal */
async function speakHere(signal) {
  const sampleRate = knownServer()?.sample_rate;
  // Now, while the browser sees that the user has asked for sound.
  if (sampleRate !== undefined) prepareOutput(sampleRate);
  const request = await readRequest();
  card.reset();
  showWarnings([]);
  // Below the form on small screens.
  block('result').scrollIntoView({ block: 'nearest' });
  seedKeep.hidden = true;
  announce('Generating.');
  let measured = '';
  try {
    await streamSpeech(
      request,
      {
        onStart: (sampleRate, warnings) => {
          showWarnings(warnings);
          return card.begin(request, sampleRate);
        },
        onSamples: (samples, progress) => {
          card.append(samples, progress);
          measured = `The first came after ${progress.firstAudio.toFixed(1)} seconds.`;
        },
      },
      signal,
    );
    card.finish('complete');
    announce(`Complete: ${card.duration().toFixed(1)} seconds of audio. ${measured}`);
  } catch (thrown) {
    card.finish(isAbort(thrown) ? 'cancelled' : 'failed');
    throw thrown;
  }
  seedKeep.hidden = false;
  seedKeep.onclick = () => {
    keepSeed(request.seed);
    notify(`Seed ${request.seed} is kept for the next speech.`);
  };
}

/** @param {AbortSignal} signal */
async function speakOnServer(signal) {
  const request = await readRequest();
  serverPlay.setAttribute('aria-busy', 'true');
  announce('Playing on the server.');
  try {
    await postJob('v1/audio/speech/playback', request, signal, async (response) => {
      const { duration_seconds: seconds, warnings = [] } = await response.json();
      showWarnings(warnings);
      notify(`The server played ${seconds.toFixed(1)} seconds of audio.`);
    });
  } finally {
    serverPlay.removeAttribute('aria-busy');
  }
}

function count() {
  const { length } = [...text.value];
  block('text-count').textContent = `${length.toLocaleString('en')} ${length === 1 ? 'character' : 'characters'}`;
}

// The same seed, and no second try where streams have none: the same audio.
card.convertWith(async (request, format) => {
  const whole = { ...request, response_format: format, retry_badcase: false };
  return (await post('v1/audio/speech', whole)).blob();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(speakHere);
});
serverPlay.addEventListener('click', () => void run(speakOnServer));
cancel.addEventListener('click', () => running?.abort());
text.addEventListener('input', () => {
  text.removeAttribute('aria-invalid');
  count();
});
button('example').addEventListener('click', () => {
  text.value = examples[example++ % examples.length] ?? '';
  text.dispatchEvent(new Event('input'));
  text.focus();
});
document.addEventListener('keydown', (event) => {
  if (document.querySelector('dialog[open]') || block('panel-speak').hidden) return;
  if (event.key === 'Escape') running?.abort();
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
count();
