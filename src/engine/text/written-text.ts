/**
 * Finds in a text as written what each of its parts was made of, and what of it is not spoken: mark-up, emoji, signs. Parts
 * are found by the words that they share with the text, in time proportional to its length.
 */
import type { Steps } from '../../event-loop.ts';
import type { Span } from './span.ts';
import { unspaced } from './writing-systems.ts';

export interface WrittenPart {
  /** As in the text, with its mark-up; without outer white space. */
  readonly written: string;
  /** Its stretches without a counterpart in what is spoken, in their order. */
  readonly leftOut: readonly string[];
}

interface Token extends Span {
  readonly key: string;
  /** Whether white space or the end of the text follows. */
  readonly isLast: boolean;
}

/** Words, characters of scripts without spaces, and other signs. */
const anyToken = new RegExp(String.raw`[${unspaced}]\p{M}*|(?:(?![${unspaced}])[\p{L}\p{M}\p{N}])+|\S`, 'gu');
const word = /[\p{L}\p{N}]/u;
/** Tokens between two places where other work may go first. */
const tokensPerStep = 2000;
/** Blocks within blocks; deeper ones are repetitions of few words. */
const mostBlocks = 8;
/** Tokens that are passed over within a block of repetitions. */
const longestSkip = 64;

/** Equal for marks that cleaning replaces by each other. */
const keyOf = (token: string): string => {
  if (/^[\p{Pi}\p{Pf}"'`„‚«»「」『』]$/u.test(token)) return '"';
  return /^[\p{Pd},]$/u.test(token) ? ',' : token.normalize('NFKC');
};

function* tokensOf(text: string): Steps<readonly Token[]> {
  const tokens: Token[] = [];
  for (const { index, 0: found } of text.matchAll(anyToken)) {
    const end = index + found.length;
    tokens.push({ start: index, end, key: keyOf(found), isLast: !/\S/u.test(text[end] ?? '') });
    if (tokens.length % tokensPerStep === 0) yield;
  }
  return tokens;
}

/**
 * @param text as written
 * @param parts in their order, each as written but for what was removed or replaced
 */
export function* writtenPartsSteps(text: string, parts: readonly string[]): Steps<readonly WrittenPart[]> {
  const source = yield* tokensOf(text);
  const target: Token[] = [];
  const ends: number[] = [];
  for (const part of parts) {
    for (const token of yield* tokensOf(part)) target.push(token);
    ends.push(target.length);
  }
  const matches = yield* matchesOf(source, target);
  const written: WrittenPart[] = [];
  let from = 0;
  for (const [index, end] of ends.entries()) {
    yield;
    const to = index === ends.length - 1 ? source.length : boundaryOf(text, source, matches, from, end);
    const own = text.slice(source[from]?.start ?? text.length, source[to - 1]?.end ?? 0);
    const leftOut = [...silentRuns({ source, target, matches }, { from, to }, { from: ends[index - 1] ?? 0, to: end })];
    written.push({
      written: own === '' ? (parts[index] ?? '') : own,
      leftOut: leftOut.map((run) => text.slice(source[run.from]?.start, source[run.to - 1]?.end)),
    });
    from = to;
  }
  return written;
}

/** Where the next part begins among the tokens of the text: marks behind a word belong to it, those before a word to that. */
function boundaryOf(text: string, source: readonly Token[], matches: Int32Array, from: number, end: number): number {
  let last = from;
  let next = from;
  for (; next < source.length; next += 1) {
    const match = matches[next] ?? -1;
    if (match >= end) break;
    if (match >= 0) last = next + 1;
  }
  for (const space of [/[\n\r]/, /\s/u]) {
    for (let at = next; at >= last; at -= 1) {
      if (space.test(text.slice(source[at - 1]?.end, source[at]?.start))) return at;
    }
  }
  return next;
}

interface Run {
  readonly from: number;
  readonly to: number;
}

interface Aligned {
  readonly source: readonly Token[];
  readonly target: readonly Token[];
  readonly matches: Int32Array;
}

/** Runs of tokens of the text that nothing stands for in its part. */
function* silentRuns({ source, target, matches }: Aligned, { from, to }: Run, part: Run): Generator<Run> {
  const isWord = ({ key }: Token): boolean => word.test(key);
  let begun = from;
  let spoken = part.from;
  for (let at = from; at <= to; at += 1) {
    const match = at === to ? part.to : (matches[at] ?? -1);
    if (match < 0) continue;
    const run = { from: begun, to: at };
    const written = source.slice(begun, at);
    const said = target.slice(spoken, match);
    begun = at + 1;
    spoken = match + 1;
    if (written.length === 0) continue;
    // All of it, or marks around words that are said otherwise.
    const first = written.findIndex(isWord);
    if (said.length === 0 || (first !== -1 && !said.some(isWord))) yield run;
    else if (first !== -1) {
      const last = run.from + written.findLastIndex(isWord) + 1;
      if (first > 0 && isWord(said[0] as Token)) yield { from: run.from, to: run.from + first };
      if (run.to > last && isWord(said.at(-1) as Token)) yield { from: last, to: run.to };
    }
  }
}

/** For each token of the text, its counterpart among those of the parts, or -1; in the same order. */
function* matchesOf(source: readonly Token[], target: readonly Token[]): Steps<Int32Array> {
  const matches = new Int32Array(source.length).fill(-1);
  const isSame = (one: number, other: number): boolean => source[one]?.key === target[other]?.key;
  yield* matchBlock([0, source.length, 0, target.length], 0);
  return matches;

  function* matchBlock([from, to, first, end]: Block, depth: number): Steps<void> {
    yield;
    while (from < to && first < end && isSame(from, first)) matches[from++] = first++;
    while (from < to && first < end && isSame(to - 1, end - 1)) matches[--to] = --end;
    if (from === to || first === end) return;
    const anchors = depth < mostBlocks ? yield* anchorsOf(source, target, [from, to, first, end]) : [];
    if (anchors.length === 0) yield* matchInOrder(source, target, [from, to, first, end], matches);
    for (const [own, other] of anchors) {
      matches[own] = other;
      yield* matchBlock([from, own, first, other], depth + 1);
      [from, first] = [own + 1, other + 1];
    }
    if (anchors.length > 0) yield* matchBlock([from, to, first, end], depth + 1);
  }
}

type Block = readonly [from: number, to: number, first: number, end: number];

/** Tokens that are there once in both, as many as are in the same order: a patience diff. */
function* anchorsOf(
  source: readonly Token[],
  target: readonly Token[],
  [from, to, first, end]: Block,
): Steps<readonly (readonly [number, number])[]> {
  const own = yield* placesOf(source, from, to);
  const other = yield* placesOf(target, first, end);
  const pairs: (readonly [number, number])[] = [];
  for (const [key, at] of own) {
    const place = other.get(key) ?? -1;
    if (at >= 0 && place >= 0) pairs.push([at, place]);
  }
  return longestInOrder(pairs);
}

/** The places of tokens by their keys; -1 for those that are there more than once. */
function* placesOf(tokens: readonly Token[], from: number, to: number): Steps<ReadonlyMap<string, number>> {
  const places = new Map<string, number>();
  for (let at = from; at < to; at += 1) {
    if (at % tokensPerStep === 0) yield;
    const { key } = tokens[at] as Token;
    places.set(key, places.has(key) ? -1 : at);
  }
  return places;
}

/** The longest list of pairs, which are in the order of the first, that is also in the order of the second. */
function longestInOrder(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  /** The pair, by length, that ends such a list with the least second place. */
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [index, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as readonly [number, number])[1] < place) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = index;
  }
  const found: (readonly [number, number])[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] as number)
    found.push(pairs[index] as readonly [number, number]);
  return found.reverse();
}

/** Matches each token of the parts with the next such token of the text, if that is near; a mark rather with one at the same place. */
function* matchInOrder(
  source: readonly Token[],
  target: readonly Token[],
  [from, to, first, end]: Block,
  matches: Int32Array,
): Steps<void> {
  let at = from;
  for (let other = first; other < end; other += 1) {
    if (other % tokensPerStep === 0) yield;
    const { key, isLast } = target[other] as Token;
    const near = source.slice(at, Math.min(to, at + longestSkip));
    const exact = near.findIndex((token) => token.key === key && token.isLast === isLast);
    const found = exact === -1 ? near.findIndex((token) => token.key === key) : exact;
    if (found === -1) continue;
    matches[at + found] = other;
    at += found + 1;
  }
}
