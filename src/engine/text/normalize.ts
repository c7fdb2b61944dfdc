import { SvcError } from '../../errors.ts';

/**
 * Python's `\s` and `str.strip` for text. JavaScript's `\s` lacks U+001C..U+001F and U+0085 and has
 * U+FEFF, so the set is spelled out.
 */
const whitespace = '\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const runsOfWhitespace = new RegExp(`[${whitespace}]+`, 'g');
const visible = new RegExp(`[^${whitespace}]`);

const shown = (text: string): string => {
  const start = JSON.stringify(text.slice(0, 40));
  return text.length > 40 ? `${text.length} characters starting with ${start}` : start;
};

/**
 * Target text as `VoxCPM._generate` of the official `voxcpm/core.py` prepares it: every run of
 * whitespace becomes one space; leading and trailing spaces stay. Prompt text is not normalised.
 *
 * @throws SvcError INVALID_REQUEST when nothing but whitespace is there.
 */
export function normalizeText(text: string): string {
  if (!visible.test(text)) {
    throw new SvcError(
      'INVALID_REQUEST',
      `text must be a string with at least one visible character, got ${shown(text)}`,
    );
  }
  return collapseWhitespace(text);
}

/** Every run of whitespace as one space. */
export const collapseWhitespace = (text: string): string => text.replace(runsOfWhitespace, ' ');
