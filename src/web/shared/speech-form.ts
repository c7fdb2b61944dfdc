/** The form around the text: one job at a time, examples, and keys. */
import { announce, clearError, showError } from './announce.ts';
import { block, button, clearInvalid, element, invalidField } from './dom.ts';

const form = element('speak-form', HTMLFormElement);
const text = element('text', HTMLTextAreaElement);
const cancel = button('cancel');

const examples = [
  'Welcome back! You have three new messages, and the first one made me smile.',
  'The train to the coast leaves at nine, so there is still time for one more coffee.',
  'In the beginning there was only the sound of the sea, and no one to listen to it.',
  'Everything you hear was generated on your own computer.',
];
let example = 0;

let running: AbortController | undefined;

/** @throws Error for an empty text */
export function readText(): string {
  if (text.value.trim() !== '') return text.value;
  throw invalidField(text, 'Enter the text to speak.');
}

/** Runs a job unless another one is running, and shows its error. */
export async function runJob(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (running) return;
  clearError();
  clearInvalid();
  running = new AbortController();
  const { signal } = running;
  showRunning();
  try {
    await job(signal);
  } catch (thrown) {
    if (signal.aborted) announce('Canceled.');
    else showError(thrown);
  } finally {
    running = undefined;
    showRunning();
  }
}

function showRunning(): void {
  const busy = running !== undefined;
  // Not `disabled`, which would take the focus from the button that was just pressed.
  for (const starter of form.querySelectorAll('.actions button:not(#cancel)')) {
    starter.setAttribute('aria-disabled', String(busy));
  }
  if (!busy && document.activeElement === cancel) button('speak').focus();
  cancel.disabled = !busy;
}

function count(): void {
  const { length } = [...text.value];
  block('text-count').textContent = `${length.toLocaleString('en')} ${length === 1 ? 'character' : 'characters'}`;
}

/** Runs `speak` whenever the form is submitted. */
export function onSubmit(speak: (signal: AbortSignal) => Promise<void>): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void runJob(speak);
  });
}

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
  if (document.querySelector('dialog[open]') || !form.checkVisibility()) return;
  if (event.key === 'Escape') running?.abort();
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
count();
