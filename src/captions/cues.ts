/**
 * Cuts timed sentences into cues that a viewer can read: at most two lines of 42 cells, for 0.8 to 7 seconds, at most 20
 * characters a second where the speech leaves time, with two frames between cues; as subtitlers work
 * (docs/adr/0037-sentences-end-alike-in-all-languages.md).
 */
import { segmentsOf } from '../engine/text/segments.ts';
import { isIdeographic, isUnspaced } from '../engine/text/writing-systems.ts';
import type { TimedSentence, TimedWord } from '../engine/timing/timed-text.ts';
import { displayWidth, graphemeWidth } from './display-width.ts';

/** A word, or a piece of one that is longer than a line. */
export interface CueWord extends TimedWord {
  /** Separator from the word before in the same line. */
  readonly space: '' | ' ';
}

export interface CueLine {
  readonly words: readonly CueWord[];
  /** Name of the voice that speaks it, in a script with voices. */
  readonly voice: string | undefined;
}

export interface Cue {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  /** One or two. */
  readonly lines: readonly CueLine[];
}

export const lineText = ({ words }: CueLine, say: (word: CueWord) => string = ({ text }) => text): string =>
  words.map((word, index) => (index === 0 ? '' : word.space) + say(word)).join('');

/** In cells: 42 Latin letters, or 21 Chinese characters. */
const lineCells = 42;
const mostLines = 2;
const longestCue = 7;
const shortestCue = 0.8;
const charactersPerSecond = 20;
/** Two frames of film between cues, so that a viewer sees that the text has changed. */
const gapSeconds = 0.084;
/** Length of the shortest cue that players show. */
const leastSeconds = 0.04;
/** No cue stays through a longer pause. */
const longestPause = 1.5;

interface Token extends CueWord {
  readonly cells: number;
  readonly characters: number;
  readonly voice: string | undefined;
  /** The unit that ends with it. */
  readonly ends: 'sentence' | 'clause' | 'word';
}

const clauseEnd = /[,;:·،؛，；：、၊៖–—]["'”’»)\]」』）】]*$/u;

/** @param sentences in order of time */
export function cuesOf(sentences: readonly TimedSentence[]): readonly Cue[] {
  const tokens: Token[] = [];
  for (const sentence of sentences) addTokens(tokens, sentence);
  const run = runOf(tokens);
  return cutsOf(run).map(([from, to]) => cueOf(run, from, to));
}

/** Adds to one list, as a long text has very many. */
function addTokens(tokens: Token[], { text, words, voice }: TimedSentence): void {
  let from = 0;
  for (const [index, word] of words.entries()) {
    const at = text.indexOf(word.text, from);
    const isFound = at !== -1;
    const space = isFound
      ? at > from && /\s/u.test(text.slice(from, at))
        ? ' '
        : ''
      : spaceBetween(words[index - 1], word);
    if (isFound) from = at + word.text.length;
    const pieces = shownPieces(word, index > 0 ? space : isIdeographic(word.text[0]) ? '' : ' ');
    const isLastWord = index === words.length - 1;
    for (const [place, piece] of pieces.entries()) {
      const { text: shown, start, end } = piece;
      const ends =
        place < pieces.length - 1 ? 'word' : isLastWord ? 'sentence' : clauseEnd.test(shown) ? 'clause' : 'word';
      const characters = readCharacters(shown);
      tokens.push({ text: shown, start, end, space: piece.space, cells: displayWidth(shown), characters, voice, ends });
    }
  }
}

const marksOrPairs = /[\p{M}\p{Cf}\p{Surrogate}\u{10000}-\u{10ffff}]/u;

/** As a reader counts: a letter with its marks is one. */
const readCharacters = (text: string): number =>
  marksOrPairs.test(text) ? [...segmentsOf(text, 'grapheme')].length : text.length;

/** For words that are not as in the text of their sentence. */
const spaceBetween = (previous: TimedWord | undefined, { text }: TimedWord): '' | ' ' =>
  isUnspaced(text[0]) && (isUnspaced(previous?.text.at(-1)) || /\p{P}$/u.test(previous?.text ?? '')) ? '' : ' ';

/** Cuts a word that is longer than a line, an address behind its marks. */
function shownPieces({ text, start, end }: TimedWord, space: '' | ' '): readonly CueWord[] {
  if (text.length <= lineCells && displayWidth(text) <= lineCells) return [{ text, start, end, space }];
  const pieces: string[] = [];
  let piece = '';
  let cells = 0;
  for (const grapheme of segmentsOf(text, 'grapheme')) {
    const width = graphemeWidth(grapheme);
    if (cells + width > lineCells) {
      const mark = Math.max(...['/', '?', '&', '=', '.', '-', '_'].map((sign) => piece.lastIndexOf(sign))) + 1;
      const cut = mark > piece.length / 2 ? mark : piece.length;
      pieces.push(piece.slice(0, cut));
      piece = piece.slice(cut);
      cells = displayWidth(piece);
    }
    piece += grapheme;
    cells += width;
  }
  pieces.push(piece);
  const each = (end - start) / text.length;
  let at = start;
  return pieces.map((own, index) => {
    const from = at;
    at = index === pieces.length - 1 ? end : from + each * own.length;
    return { text: own, start: from, end: at, space: index === 0 ? space : '' };
  });
}

type Range = readonly [from: number, to: number];

/** All words, and how many characters are in front of each, with spaces. */
interface Run {
  readonly tokens: readonly Token[];
  readonly read: Float64Array;
}

function runOf(tokens: readonly Token[]): Run {
  const read = new Float64Array(tokens.length + 1);
  for (const [at, { characters, space }] of tokens.entries())
    read[at + 1] = (read[at] as number) + characters + space.length;
  return { tokens, read };
}

/** The cheapest cuts: by the costs of all cues that may end with each word, from the first word to the last. */
function cutsOf(run: Run): readonly Range[] {
  const { length } = run.tokens;
  const costs = new Float64Array(length + 1).fill(Number.POSITIVE_INFINITY, 1);
  const begins = new Int32Array(length + 1);
  for (let to = 1; to <= length; to += 1) {
    eachBeginning(run, to, (from, inside) => {
      const least = (costs[from] as number) + inside + 1;
      if (least >= (costs[to] as number)) return;
      const cost = least + costOf(run, from, to);
      if (cost >= (costs[to] as number)) return;
      costs[to] = cost;
      begins[to] = from;
    });
  }
  const cuts: Range[] = [];
  for (let to = length; to > 0; to = begins[to] as number) cuts.push([begins[to] as number, to]);
  return cuts.reverse();
}

/** Where a cue that ends before `to` may begin, and what the ends of sentences inside it cost; a cue itself costs 1. */
function eachBeginning({ tokens }: Run, to: number, use: (from: number, cost: number) => void): void {
  const last = tokens[to - 1] as Token;
  let inside = 0;
  let lines = 1;
  let cells = 0;
  for (let from = to - 1; from >= 0; from -= 1) {
    const token = tokens[from] as Token;
    const next = from === to - 1 ? undefined : (tokens[from + 1] as Token);
    if (next !== undefined && (next.start - token.end > longestPause || last.end - token.start > longestCue)) return;
    const isNewLine =
      next !== undefined && (next.voice !== token.voice || cells + token.cells + next.space.length > cellsOf(token));
    if (isNewLine) lines += 1;
    cells = next === undefined || isNewLine ? token.cells : cells + token.cells + next.space.length;
    if (lines > mostLines) return;
    if (next !== undefined && token.ends === 'sentence') inside += token.voice === next.voice ? 4 : 8;
    use(from, inside);
  }
}

/** A line of a dialogue may begin with a hyphen. */
const cellsOf = ({ voice }: Token): number => (voice === undefined ? lineCells : lineCells - 2);

const endCosts = { sentence: 0, clause: 2, word: 4 } as const;

/** Besides the 1 of each cue. */
function costOf(run: Run, from: number, to: number): number {
  const seconds = endOf(run, from, to) - (run.tokens[from] as Token).start;
  const hurry = Math.max(0, charactersIn(run, from, to) / seconds - charactersPerSecond);
  return (
    endCosts[(run.tokens[to - 1] as Token).ends] +
    (seconds < shortestCue - 1e-6 ? 20 + (20 * (shortestCue - seconds)) / shortestCue : 0) +
    Math.min(10, hurry) / 2
  );
}

const charactersIn = ({ read, tokens }: Run, from: number, to: number): number =>
  (read[to] as number) - (read[from] as number) - (tokens[from] as Token).space.length;

/** Lets a cue stay as long as its text takes to read, up to two frames before the next one. */
function endOf(run: Run, from: number, to: number): number {
  const { start } = run.tokens[from] as Token;
  const { end } = run.tokens[to - 1] as Token;
  const wanted = Math.max(end, start + shortestCue, start + charactersIn(run, from, to) / charactersPerSecond);
  const latest = (run.tokens[to]?.start ?? Number.POSITIVE_INFINITY) - gapSeconds;
  return Math.max(start + leastSeconds, Math.min(wanted, latest));
}

/** A line ends where it is full, and where another voice begins. */
function linesOf(tokens: readonly Token[]): readonly CueLine[] {
  const lines: { words: Token[]; voice: string | undefined }[] = [];
  let cells = 0;
  for (const token of tokens) {
    const line = lines.at(-1);
    cells += token.space.length + token.cells;
    if (line === undefined || cells > cellsOf(token) || token.voice !== line.voice) {
      lines.push({ words: [token], voice: token.voice });
      cells = token.cells;
    } else {
      line.words.push(token);
    }
  }
  return lines;
}

const cueOf = (run: Run, from: number, to: number): Cue => ({
  start: (run.tokens[from] as Token).start,
  end: endOf(run, from, to),
  lines: linesOf(run.tokens.slice(from, to)),
});
