import { SvcError } from '../../errors.ts';

/**
 * White space of Python's `\s` and `str.strip` for text. JavaScript's `\s` lacks U+001C..U+001F and U+0085 and includes
 * U+FEFF.
 */
const whitespace = '\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const runsOfWhitespace = new RegExp(`[${whitespace}]+`, 'g');
const visible = new RegExp(`[^${whitespace}]`);

const shown = (text: string): string => {
  const start = JSON.stringify(text.slice(0, 40));
  return text.length > 40 ? `${text.length} characters starting with ${start}` : start;
};

/** @throws SvcError INVALID_REQUEST for a text of white space only */
export function requireVisible(text: string): void {
  if (visible.test(text)) return;
  throw new SvcError('INVALID_REQUEST', `text must contain a visible character, got ${shown(text)}`);
}

/**
 * Normalizes target text like `VoxCPM._generate` of the official `voxcpm/core.py`: every run of white space becomes one
 * space; leading and trailing spaces stay. Prompt text is not normalized.
 *
 * @throws SvcError INVALID_REQUEST for a text of white space only
 */
export function normalizeText(text: string): string {
  requireVisible(text);
  return collapseWhitespace(text);
}

/** Replaces every run of white space by one space. */
export const collapseWhitespace = (text: string): string => text.replace(runsOfWhitespace, ' ');
