/** The words of the last speech: they light up while they are heard, and are heard when they are chosen. */
import type { TimedSentence } from '../../engine/timing/timed-text.ts';
import { clearError, showError } from '../shared/announce.ts';
import { onPosition, playFrom } from '../shared/audio-card.ts';
import { block, button } from '../shared/dom.ts';
import type { SpeechRequest } from './api.ts';
import { findChapters } from './chapters.ts';
import { line } from './list-parts.ts';
import { timesOf } from './synthesis.ts';

const open = button('along-open');
const shown = block('along-text');
const chapters = block('chapters');

type ShownWord = { readonly element: HTMLElement; readonly start: number; readonly end: number };

let request: SpeechRequest | undefined;
let words: readonly ShownWord[] = [];
let lit: ShownWord | undefined;

/** Hides the words of the last speech. */
export function forgetWords(): void {
  request = undefined;
  words = [];
  lit = undefined;
  shown.replaceChildren();
  chapters.replaceChildren();
  for (const hidden of [block('along'), shown, chapters]) hidden.hidden = true;
}

/** Offers the words of a complete speech. */
export function offerWords(spoken: SpeechRequest): void {
  forgetWords();
  request = spoken;
  block('along').hidden = false;
  block('along-note').hidden = false;
  open.hidden = false;
}

async function load(): Promise<void> {
  const wanted = request;
  if (wanted === undefined || open.getAttribute('aria-busy') === 'true') return;
  clearError();
  open.setAttribute('aria-busy', 'true');
  try {
    const sentences = await timesOf(wanted);
    if (wanted !== request) return;
    show(sentences, wanted.input);
  } catch (thrown) {
    showError(thrown);
  } finally {
    open.removeAttribute('aria-busy');
  }
}

function show(sentences: readonly TimedSentence[], text: string): void {
  const found: ShownWord[] = [];
  shown.replaceChildren(...sentences.flatMap((sentence) => [sentenceOf(sentence, found), ' ']));
  words = found;
  const headings = findChapters(text, sentences);
  chapters.replaceChildren(...headings.map(({ title, start }) => seekButton(title, start)));
  chapters.hidden = headings.length === 0;
  shown.hidden = false;
  block('along-note').hidden = true;
  open.hidden = true;
  // The button that had the focus is hidden.
  block('along-title').focus();
}

function seekButton(label: string, start: number): HTMLButtonElement {
  const made = line('button', label, 'link');
  made.type = 'button';
  made.addEventListener('click', () => playFrom(start));
  return made;
}

/** A sentence is a button, so that few keys reach it; with a pointer, each of its words is one. */
function sentenceOf({ words: spoken, start }: TimedSentence, found: ShownWord[]): HTMLElement {
  const made = line('button', '', 'sentence');
  made.type = 'button';
  made.addEventListener('click', ({ target, detail }) => {
    // Without a pointer, there is no detail.
    const word = detail === 0 ? undefined : found.find(({ element }) => element === target);
    playFrom(word?.start ?? start);
  });
  let before = '';
  for (const { text, start, end } of spoken) {
    const element = document.createElement('span');
    element.textContent = text;
    found.push({ element, start, end });
    if (before !== '' && !(unspaced.test(before.slice(-1)) && unspaced.test(text))) made.append(' ');
    made.append(element);
    before = text;
  }
  return made;
}

/** Scripts without spaces, at the beginning of a word. */
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

onPosition((seconds) => {
  if (words.length === 0) return;
  const next = words.find(({ start, end }) => seconds >= start && seconds < end);
  // Between two words, the last one stays lit.
  if (next === undefined || next === lit) return;
  lit?.element.classList.remove('heard');
  next.element.classList.add('heard');
  lit = next;
  const { offsetTop, offsetHeight } = next.element;
  const below = offsetTop + offsetHeight - shown.offsetTop;
  if (below > shown.scrollTop + shown.clientHeight || offsetTop - shown.offsetTop < shown.scrollTop) {
    shown.scrollTop = offsetTop - shown.offsetTop;
  }
});
open.addEventListener('click', () => void load());
