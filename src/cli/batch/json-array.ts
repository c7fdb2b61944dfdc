/** The elements of a list that is one JSON array, or of objects over several lines each, read as they are consumed. */
import { requestError } from '../../validation.ts';
import { type BatchInput, type Line, maxLineBytes } from './input.ts';

const token = /\s*(?:([[{])|([\]}])|[,:]|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b|(?:true|false|null)\b)/y;
/** Characters of a line by which it is known. */
const telltale = 10_000;

/** The tokens of a beginning, each with the number of brackets that are open behind it; the last may be none. */
function* tokensOf(start: string) {
  token.lastIndex = 0;
  for (let [at, depth] = [0, 0]; at < start.length; at = token.lastIndex) {
    const [written, opening, closing] = token.exec(start) ?? [];
    if (opening !== undefined) depth += 1;
    if (closing !== undefined) depth -= 1;
    yield { at, end: token.lastIndex, written, opening, depth };
  }
}

/** Whether a list is an array by its first line: a text may begin with a tag such as `[laughter]`, or with a mark such as `[1]`. */
export function beginsArray(line: string): boolean {
  const start = line.slice(0, telltale).trim();
  if (!start.startsWith('[')) return false;
  for (const { at, end, written, opening, depth } of tokensOf(start)) {
    // A cut text may end within a string.
    if (written === undefined) return line.length > telltale && /^\s*"/.test(start.slice(at));
    if (opening === '{') return true;
    if (depth === 0) return end === start.length;
  }
  return true;
}

/** Whether a list has objects that go on in the next line, or follow each other in one. */
export function beginsSequence(line: string): boolean {
  const start = line.slice(0, telltale).replaceAll(recordSign, '').trim();
  if (!start.startsWith('{')) return false;
  for (const { end, written, depth } of tokensOf(start)) {
    if (written === undefined) return false;
    if (depth === 0) return end < start.length || start.length < line.trim().length;
  }
  return /[{[,]$/.test(start);
}

/** In front of each text of a JSON text sequence (RFC 7464). */
const recordSign = '\x1e';

/**
 * Elements by the lines on which they begin. @throws SvcError INVALID_REQUEST, with the line, for an array that doesn't end,
 * that lacks an element, or that something follows
 */
export async function* readJsonArray(input: BatchInput): AsyncGenerator<Line, void, undefined> {
  const fail = (number: number, message: string) => requestError(`${input.name}, line ${number}: ${message}`);
  let state = 'before' as 'before' | 'inside' | 'between' | 'behind';
  let [depth, start, last, length] = [0, 0, 0, 0];
  let [isQuoted, isEscaped] = [false, false];
  let parts: string[] = [];
  const end = (): Line | undefined => {
    const text = parts.join('').trim();
    parts = [];
    if (length > maxLineBytes) return { number: start, text: undefined, problem: 'is too long' };
    return text === '' ? undefined : { number: start, text };
  };
  let isFirst = true;
  for await (const { number, text = '', problem } of input.lines()) {
    last = number;
    if (problem !== undefined) throw fail(number, `the line ${problem}`);
    let from = 0;
    const keep = (to: number): void => {
      const part = text.slice(from, to);
      if (length <= maxLineBytes) parts.push(part);
      length += part.length;
    };
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] as string;
      if (isQuoted) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') isQuoted = false;
        continue;
      }
      if (/\s/.test(character) || character === recordSign) continue;
      if (state === 'between') {
        // Objects without an array around them.
        if (depth === 0 && character === ',') continue;
        if (depth === 0 && character !== '{') throw fail(number, 'the list has no JSON object here');
        if (depth === 0) [start, from] = [number, at];
        if (character === '"') isQuoted = true;
        else if (character === '{' || character === '[') depth += 1;
        else if (character === '}' || character === ']') depth -= 1;
        if (depth > 0) continue;
        keep(at + 1);
        const element = end();
        if (element !== undefined) yield element;
        from = at + 1;
        start = length = 0;
        continue;
      }
      if (state === 'behind') throw fail(number, 'text follows the JSON array');
      if (state === 'before' && character === '{') {
        state = 'between';
        [depth, start, from] = [1, number, at];
        continue;
      }
      if (state === 'before') {
        state = 'inside';
        from = at + 1;
        continue;
      }
      if (start === 0 && character !== ',' && character !== ']') start = number;
      if (character === '"') isQuoted = true;
      else if (character === '{' || character === '[') depth += 1;
      else if (depth > 0 && (character === '}' || character === ']')) depth -= 1;
      else if (depth === 0 && (character === ',' || character === ']')) {
        keep(at);
        const element = end();
        if (element !== undefined) yield element;
        else if (character === ',') throw fail(number, 'the JSON array has no element in front of a comma');
        else if (!isFirst) throw fail(number, 'the JSON array ends with a comma; remove it');
        isFirst = false;
        if (character === ']') state = 'behind';
        from = at + 1;
        start = length = 0;
      }
    }
    if (state === 'inside' || (state === 'between' && depth > 0)) {
      keep(text.length);
      parts.push('\n');
    }
  }
  if (state === 'between' && depth > 0) throw fail(last, 'a JSON object is never closed');
  if (state === 'inside') throw fail(last, 'the JSON array is never closed');
}
