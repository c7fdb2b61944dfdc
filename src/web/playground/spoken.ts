/** Shows the text as the model gets it, while its section is open. */
import { block, element, isAbort } from '../shared/dom.ts';
import { type PassagePreview, previewText } from './api.ts';
import { nameOf } from './languages.ts';
import { line } from './list-parts.ts';
import { readTextRequest } from './request.ts';

const section = element('spoken', HTMLDetailsElement);
const form = element('speak-form', HTMLFormElement);
const text = element('text', HTMLTextAreaElement);
const list = block('spoken-list');
const status = block('spoken-status');
/** Milliseconds without a change before the text is sent. */
const pause = 400;

let reading: AbortController | undefined;
let waiting: ReturnType<typeof setTimeout> | undefined;

const sources: Readonly<Record<PassagePreview['language_by'], string>> = {
  stated: 'as chosen',
  voice: 'that of the voice',
  detected: 'detected',
  document: 'that of the server',
  neighbours: 'that of the passages around it',
  model: 'the only one of the model in these letters',
  none: '',
};

function item(passage: PassagePreview, isNormalized: boolean): HTMLElement {
  const { language, language_by: by, voice, style, written, spoken, left_out: leftOut, unreadable } = passage;
  const unknown = isNormalized ? 'Language unknown, numbers are left to the model' : 'Numbers are left to the model';
  const about = language === null ? unknown : `${nameOf(language)}, ${sources[by]}`;
  const row = document.createElement('li');
  const said = line('p', spoken);
  if (language !== null) said.lang = language;
  row.append(line('p', voice === null ? about : `${about}; voice ${voice}`, 'note'), said);
  const details = [
    ['Written', written === spoken ? '' : written],
    ['Style', style ?? ''],
    ['Left out', leftOut.join(' · ')],
    ['The model cannot read', (unreadable ?? []).join(' ')],
  ] as const;
  for (const [name, value] of details) if (value !== '') row.append(line('p', `${name}: ${value}`, 'note'));
  return row;
}

async function show(): Promise<void> {
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  if (text.value.trim() === '') {
    list.replaceChildren();
    status.textContent = 'Enter a text first.';
    return;
  }
  list.setAttribute('aria-busy', 'true');
  try {
    const { normalize, passages, warnings } = await previewText(await readTextRequest(), signal);
    list.replaceChildren(...passages.map((passage) => item(passage, normalize)));
    const notes = warnings.map((warning) => `Note: ${warning}.`).join(' ');
    status.textContent = passages.length === 0 ? 'The text has no words to speak.' : notes;
  } catch (thrown) {
    if (isAbort(thrown)) return;
    list.replaceChildren();
    status.textContent = thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    if (!signal.aborted) list.removeAttribute('aria-busy');
  }
}

function showSoon(): void {
  clearTimeout(waiting);
  if (section.open) waiting = setTimeout(() => void show(), pause);
}

section.addEventListener('toggle', () => {
  if (section.open) void show();
  else reading?.abort();
});
form.addEventListener('input', showSoon);
form.addEventListener('change', showSoon);
