/** The list of past results. */
import { encodePcm } from '../../audio/encode/wav-encode.ts';
import { clearError, notify, showError } from '../shared/announce.ts';
import { recording, show } from '../shared/audio-card.ts';
import { block, button, clock } from '../shared/dom.ts';
import { createPcmParser } from '../shared/pcm.ts';
import type { SpeechRequest } from './api.ts';
import { action, item, line } from './list-parts.ts';
import { offerWords } from './read-along.ts';
import { audioOf, listResults, type PastResult, putResult, removeAll, removeResult } from './result-store.ts';
import { encoderOf } from './synthesis.ts';

const list = block('results');

/** Characters of a text in the list. */
const excerptLength = 120;

/** Keeps the speech that the page has just played. A browser that forbids storage keeps none. */
export async function keepResult(request: SpeechRequest): Promise<void> {
  const audio = recording();
  if (audio === undefined || audio.samples.length === 0) return;
  const pcm = encodePcm(audio.samples);
  const at = Date.now();
  const id = `${at}-${request.seed}`;
  try {
    await putResult({ id, at, request, sampleRate: audio.sampleRate, bytes: pcm.length }, pcm);
    await refresh();
  } catch {
    block('history').hidden = true;
  }
}

async function refresh(): Promise<void> {
  const results = await listResults();
  list.replaceChildren(...results.map(itemOf));
  block('history').hidden = results.length === 0;
}

function itemOf(result: PastResult): HTMLElement {
  const { request, at, bytes, sampleRate } = result;
  const text = request.input.trim();
  const excerpt = text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text;
  const when = new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const details = [when, clock(bytes / 2 / sampleRate), request.voice ?? 'default voice', `seed ${request.seed}`];
  return item(
    [line('h3', excerpt), line('p', details.join(' · '), 'note')],
    [
      action('Open', `Open “${excerpt}”`, () => run(() => open(result))),
      action('Delete', `Delete “${excerpt}”`, () => run(() => drop(result)), 'danger quiet'),
    ],
  );
}

function run(act: () => Promise<void>): void {
  clearError();
  act().catch(showError);
}

async function open({ id, request, sampleRate }: PastResult): Promise<void> {
  if (button('cancel').disabled === false)
    throw new Error('Wait for the speech that is being generated, or cancel it.');
  const pcm = await audioOf(id);
  if (pcm === undefined) throw new Error('The browser has removed this result.');
  const samples = createPcmParser()(pcm);
  await show({ seed: request.seed, sampleRate, samples }, encoderOf(request));
  offerWords(request);
  block('result').scrollIntoView({ block: 'nearest' });
  button('play').focus();
}

async function drop({ id }: PastResult): Promise<void> {
  await removeResult(id);
  await refresh();
  notify('Result deleted.');
  (block('history').hidden ? block('text') : block('history-title')).focus();
}

button('history-clear').addEventListener('click', () => {
  clearError();
  removeAll()
    .then(refresh)
    .then(() => {
      notify('All results deleted.');
      block('text').focus();
    })
    .catch(showError);
});
// Storage throws where the user forbids it.
refresh().catch(() => undefined);
