/** The format of the text, with a note on what it does. */
import type { InputFormat } from '../../engine/script/input-formats.ts';
import { block, element } from './dom.ts';

const format = element('input-format', HTMLSelectElement);
const text = element('text', HTMLTextAreaElement);

const tags = /\[(?:pause|voice):/i;

/** Undefined for the server's default. */
export const readFormat = (): InputFormat | undefined =>
  format.value === 'auto' ? undefined : (format.value as InputFormat);

function show(): void {
  const { dataset } = format.selectedOptions[0] as HTMLOptionElement;
  const isUnused = format.value === 'auto' && tags.test(text.value);
  const note = isUnused ? 'Your text has tags. Choose “Text with tags” to use them.' : (dataset.note ?? '');
  if (block('input-format-note').textContent !== note) block('input-format-note').textContent = note;
}

format.addEventListener('change', show);
text.addEventListener('input', show);
// Browsers restore fields when a page is loaded again.
show();
