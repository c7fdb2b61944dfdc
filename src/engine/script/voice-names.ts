/** Names of the voices that a script calls for, before it is parsed: its speaker has to find them first. */
import type { InputFormat } from './input-formats.ts';
import { formatOf, type ScriptText, type VoiceTags } from './parse-script.ts';
import { lineNumber, ownVoice } from './tags.ts';
import { parseTurns } from './turns.ts';

const tags = /\[voice:([^[\]\n]{0,100})\]/gi;
const patterns = {
  script: tags,
  markdown: tags,
  ssml: /<(?:ssml:)?voice\b[^<>]{0,200}?\bname\s*=\s*(?:"([^"<>]{0,100})"|'([^'<>]{0,100})')/gi,
} as const;

/**
 * Each name once, as it is written first; without the voice of the request itself.
 *
 * @param voices names of the voices that the request gives
 * @param tags whether they are followed in any text
 */
export function voiceNamesIn(
  text: ScriptText,
  format: InputFormat,
  voices: readonly string[] = [],
  tags?: VoiceTags,
): readonly string[] {
  const names = new Map<string, string>();
  for (const { name } of namesIn(text, format, voices, tags)) {
    const key = name.toLowerCase();
    if (name !== '' && key !== ownVoice && !names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}

/** Where a script first names a voice, such as `line 2 of the script`; undefined for a name that it doesn't use. */
export function placeOfVoice(text: ScriptText, format: InputFormat, name: string): string | undefined {
  const names = [...namesIn(text, format, [name])];
  return names.find(({ name: found }) => found.toLowerCase() === name.toLowerCase())?.place();
}

/** @throws SvcError INVALID_REQUEST for turns that are not valid */
function* namesIn(
  text: ScriptText,
  format: InputFormat,
  voices: readonly string[],
  tags: VoiceTags = format === 'markdown' ? 'followed' : 'text',
): Generator<{ readonly name: string; readonly place: () => string }> {
  const chosen = formatOf(text, format, voices, tags);
  if (chosen === 'turns' || typeof text !== 'string') {
    for (const [index, turn] of (typeof text === 'string' ? parseTurns(text) : text).entries()) {
      yield { name: turn.voice?.trim() ?? '', place: () => `turn ${index + 1}` };
      for (const { name } of namesIn(turn.text, turn.format ?? 'plain', []))
        yield { name, place: () => `turn ${index + 1}` };
    }
  } else if (chosen !== 'plain' && (chosen !== 'markdown' || tags === 'followed')) {
    const read = chosen === 'markdown' ? withoutCode(text) : text;
    for (const { 1: quoted, 2: single = '', index } of read.matchAll(patterns[chosen]))
      yield { name: (quoted ?? single).trim(), place: () => `line ${lineNumber(text, index)} of the script` };
  }
}

/** Tags in code are text. Every character keeps its place. */
const withoutCode = (markdown: string): string =>
  markdown.replace(/(`{1,3})[^`]{1,5000}\1/g, (code) => code.replace(/[^\n]/g, ' '));
