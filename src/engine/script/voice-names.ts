/** Names of the voices that a script calls for, before it is parsed: whoever speaks it has to find them first. */
import { detectFormat, type InputFormat } from './parse-script.ts';
import { ownVoice } from './tags.ts';
import { parseTurns } from './turns.ts';

const patterns = {
  script: /\[voice:([^[\]\n]{0,100})\]/gi,
  ssml: /<voice\b[^<>]{0,200}?\bname\s*=\s*(?:"([^"<>]{0,100})"|'([^'<>]{0,100})')/gi,
} as const;

/**
 * Each name once, as it is written first; without the voice of the request itself.
 *
 * @param voices names of the voices that the request gives
 */
export function voiceNamesIn(text: string, format: InputFormat, voices: readonly string[] = []): readonly string[] {
  const names = new Map<string, string>();
  for (const given of namesIn(text, format, voices)) {
    const name = given.trim();
    const key = name.toLowerCase();
    if (name !== '' && key !== ownVoice && !names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}

/** @throws SvcError INVALID_REQUEST for turns that are not valid */
function* namesIn(text: string, format: InputFormat, voices: readonly string[]): Generator<string> {
  const chosen = format === 'auto' ? detectFormat(text, voices) : format;
  if (chosen === 'turns') {
    for (const turn of parseTurns(text)) {
      yield turn.voice ?? '';
      yield* namesIn(turn.text, turn.format ?? 'plain', []);
    }
  } else if (chosen === 'script' || chosen === 'ssml') {
    for (const [, quoted, single] of text.matchAll(patterns[chosen])) yield quoted ?? single ?? '';
  }
}
