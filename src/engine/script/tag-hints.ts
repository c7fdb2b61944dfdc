/** Hints about script tags that are read as text: mistyped ones, and those of a text that is not read as a script. */
import { closestMatch } from 'leven';
import { quote } from '../../messages.ts';

/** A name, a value and the end of the tag. Bounded, so that an open bracket costs nothing. */
const bracket = /\[([a-z]{4,7})(:[^[\]\n]{0,40})?(\])?/gi;
const readTag = /\[(?:pause:\s*(?:\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})\s*(?:m?s\s*)?|voice:[^[\]\n]{1,100})\]/i;
const voiceTag = /\[voice:[^[\]\n]{1,100}\]/i;
const names = ['pause', 'voice'] as const;
/** More edits make another word. */
const maxDistance = 2;
const mostHints = 10;

/** One line for each tag that is almost one, the same one only once. */
export function mistypedTags(text: string): readonly string[] {
  const hints = new Map<string, string>();
  let line = 1;
  let counted = 0;
  for (const { 0: found, 1: written = '', 2: value, 3: end, index } of text.matchAll(bracket)) {
    const name = closestMatch(written.toLowerCase(), [...names], { maxDistance });
    const isName = name === written.toLowerCase();
    // Without a value, a word in brackets is one of the text, such as `[noise]`.
    if (name === undefined || !(isName || value !== undefined) || hints.has(found)) continue;
    if (isName && value !== undefined && (end !== undefined || readTag.test(text.slice(index, index + 120)))) continue;
    line += text.slice(counted, index).split('\n').length - 1;
    counted = index;
    hints.set(
      found,
      `unknown tag ${quote(found)} on line ${line} is read as text; did you mean ${quote(`[${name}:${correctedValue(name, value)}]`)}?`,
    );
    if (hints.size === mostHints) break;
  }
  return [...hints.values()];
}

function correctedValue(name: string, value = ''): string {
  const [first = ''] = value.slice(1).trim().split(/\s/);
  if (name === 'voice') return first || 'NAME';
  return /^[\d.]+(?:ms|s)?$/.test(first) ? first : '1s';
}

export const namesVoice = (text: string): boolean => voiceTag.test(text);

export function unreadTags(text: string): string | undefined {
  const [found] = readTag.exec(text) ?? [];
  if (found === undefined) return undefined;
  return `script tags such as ${quote(found)} are read as text; set the input format to "script" (--input-format, over HTTP input_format)`;
}
