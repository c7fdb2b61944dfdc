/** The form that speaks: one job at a time, heard while it is made. */

import { SvcError } from '../../errors.ts';
import { announce, clearError, notify, showError, showWarnings } from '../playground/announce.js';
import * as card from '../playground/audio-card.js';
import { block, button, element, isAbort } from '../playground/dom.js';
import { keepSeed, readOptions } from '../playground/options.js';
import { prepareOutput } from '../playground/player.js';
import { engine, forgetModel, loadModel } from './model-card.ts';
import type { SpeakOrder } from './protocol.ts';
import { readRecording } from './recording-form.ts';

const form = element('speak-form', HTMLFormElement);
const text = element('text', HTMLTextAreaElement);
const speak = button('speak');
const load = button('load');
const cancel = button('cancel');
const seedKeep = button('seed-keep');

const examples = [
  'Hello from your own browser.',
  'The quick brown fox jumps over the lazy dog.',
  'Every voice has a story to tell.',
  'Nothing you write here leaves this computer.',
];
let example = 0;

let running: AbortController | undefined;

const isCancelled = (thrown: unknown): boolean =>
  isAbort(thrown) || (thrown instanceof SvcError && thrown.code === 'CANCELLED');

/** Runs one job; whatever becomes of it, the form is usable again. */
async function run(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (running) return;
  clearError();
  const controller = new AbortController();
  running = controller;
  showRunning();
  try {
    await job(controller.signal);
  } catch (thrown) {
    if (isCancelled(thrown)) announce('Cancelled.');
    else showError(thrown);
    if (thrown instanceof SvcError && ['INTERNAL', 'OUT_OF_MEMORY'].includes(thrown.code)) forgetModel();
  } finally {
    running = undefined;
    showRunning();
  }
}

function showRunning(): void {
  const busy = running !== undefined;
  // Not `disabled`, which would take the focus from the button that was just pressed.
  speak.setAttribute('aria-disabled', String(busy));
  if (!busy && document.activeElement === cancel) speak.focus();
  cancel.disabled = !busy;
}

async function speakHere(signal: AbortSignal): Promise<void> {
  if (text.value.trim() === '') {
    text.setAttribute('aria-invalid', 'true');
    text.focus();
    throw new Error('Write what it shall say first.');
  }
  const { seed, cfg_value: cfg, inference_timesteps: timesteps } = readOptions();
  const { sampleRate, ...model } = await loadModel(signal);
  const order: Omit<SpeakOrder, 'kind'> = {
    text: text.value,
    seed,
    cfg,
    timesteps,
    ...(await readRecording({ sampleRate, ...model })),
  };
  prepareOutput(sampleRate);
  card.reset();
  showWarnings([]);
  // Below the form on small screens.
  block('result').scrollIntoView({ block: 'nearest' });
  seedKeep.hidden = true;
  announce('Generating.');
  try {
    await card.begin({ seed }, sampleRate);
    await generate(order, sampleRate, signal);
    card.finish('complete');
    announce(`Complete: ${card.duration().toFixed(1)} seconds of audio.`);
  } catch (thrown) {
    card.finish(isCancelled(thrown) ? 'cancelled' : 'failed');
    throw thrown;
  }
  seedKeep.hidden = false;
  seedKeep.onclick = () => {
    keepSeed(seed);
    notify(`Seed ${seed} is kept for the next speech.`);
  };
}

async function generate(order: Omit<SpeakOrder, 'kind'>, sampleRate: number, signal: AbortSignal): Promise<void> {
  const asked = performance.now();
  const warnings: string[] = [];
  let sampleCount = 0;
  let firstAudio = 0;
  await engine.speak(
    order,
    (report) => {
      if (report.kind === 'warning') {
        warnings.push(report.message);
        showWarnings(warnings);
      }
      if (report.kind !== 'samples' || report.samples.length === 0) return;
      const elapsed = (performance.now() - asked) / 1000;
      if (sampleCount === 0) firstAudio = elapsed;
      sampleCount += report.samples.length;
      card.append(report.samples, { sampleRate, sampleCount, firstAudio, elapsed });
    },
    signal,
  );
}

function count(): void {
  const { length } = [...text.value];
  block('text-count').textContent = `${length.toLocaleString('en')} ${length === 1 ? 'character' : 'characters'}`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(speakHere);
});
load.addEventListener('click', () => {
  if (load.getAttribute('aria-disabled') !== 'true') void run(async (signal) => void (await loadModel(signal)));
});
cancel.addEventListener('click', () => running?.abort());
text.addEventListener('input', () => {
  text.removeAttribute('aria-invalid');
  count();
});
button('example').addEventListener('click', () => {
  text.value = examples[example % examples.length] ?? '';
  example += 1;
  text.dispatchEvent(new Event('input'));
  text.focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') running?.abort();
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
count();
