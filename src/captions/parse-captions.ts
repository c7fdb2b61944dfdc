/** The captions of a WebVTT file, as its library parses them: the only place that calls it, line by line and within limits. */
import { decodeHTML } from 'entities';
import * as mediaCaptions from 'media-captions';
import type { Pace } from '../event-loop.ts';
import { sanitizeLine, shorten, show } from '../messages.ts';
import { requestError } from '../validation.ts';
import { withoutQuotedBrackets } from './plain-text.ts';

/** Limits of captions, so that no file takes more work or memory than its length. */
export interface CaptionLimits {
  /** Characters of the file. */
  readonly characters: number;
  readonly captions: number;
  /** Lines, and characters with mark-up, of a caption. */
  readonly lines: number;
  readonly captionCharacters: number;
  /** Tags within each other. */
  readonly nesting: number;
  /** Names in `<v Name>`. */
  readonly speakers: number;
}

export interface CaptionMeans {
  readonly limits: CaptionLimits;
  /** Awaited between lines. */
  readonly pace: Pace;
}

/** Limits of files on the user's own machine. */
export const fileLimits: CaptionLimits = {
  characters: 16 * 2 ** 20,
  captions: 1_000_000,
  lines: 1_000,
  captionCharacters: 65_536,
  nesting: 64,
  speakers: 1_000,
};

/** @throws SvcError INVALID_REQUEST for the number of a caption, its lines or characters beyond a limit */
export function assertWithin(limits: CaptionLimits, number: number, lines = 0, characters = 0): void {
  if (number > limits.captions) throw requestError(`there are more captions than the limit of ${limits.captions}`);
  if (lines > limits.lines) throw requestError(`the caption ${number} has more than ${limits.lines} lines`);
  if (characters > limits.captionCharacters)
    throw requestError(`the caption ${number} has more than ${limits.captionCharacters} characters`);
}

/** The used part of the library, whose own types Node.js' resolution doesn't find. */
interface CaptionsLibrary {
  /** Reads with `getReader` alone. */
  parseTextStream(
    lines: { getReader(): LineReader },
    options: {
      readonly type: 'vtt';
      readonly errors: true;
      readonly onCue: (caption: ParsedCaption) => void;
      readonly onError: (error: { readonly code: number; readonly message: string }) => void;
    },
  ): Promise<unknown>;
  tokenizeVTTCue(cue: Pick<ParsedCaption, 'text'>): readonly CaptionNode[];
}

type ReadLine = { readonly value: string; readonly done: boolean };

interface LineReader {
  read(): ReadLine | Promise<ReadLine>;
  cancel(): void;
}

/** Seconds. */
type Times = { readonly startTime: number; readonly endTime: number };
type ParsedCaption = Times & { readonly text: string };

/** Errors with greater codes are about looks. */
const lastTimeError = 2;

type CaptionNode =
  | { readonly type: 'text'; readonly data: string }
  | { readonly type: 'v'; readonly voice: string; readonly children: readonly CaptionNode[] }
  | { readonly type: 'timestamp' | 'ruby' | 'rt' | 'other'; readonly children: readonly CaptionNode[] };

const { parseTextStream, tokenizeVTTCue } = mediaCaptions as unknown as CaptionsLibrary;

const arrow = '-->';
/** Times without the settings behind them, which are about looks. */
const times = /^[ \t\f]{0,99}([\d:.,]{1,20})[ \t\f]{0,99}-->[ \t\f]{0,99}([\d:.,]{1,20})/;
/** Settings behind the times, in a line of their own. */
const settings = /^[ \t]*(?:region|vertical|line|position|size|align)[:=]/;

const setting = /(?:^|\s)[a-z]{1,20}[:=]\S{1,99}(?=\s|$)/gi;

/** As the specification has it, but with a comma too, as files have that were SubRip. */
const stamp = /^(?:(\d{1,6}):)?([0-5]\d):([0-5]\d)[.,](\d{3})$/;

function secondsOf(written: string): number | undefined {
  const [, hours = '0', minutes, seconds, fraction] = stamp.exec(written) ?? [];
  if (minutes === undefined) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction) / 1000;
}

/** Lines between two looks at the clock. */
export const linesInTurn = 64;

/**
 * @param take gets each caption, in the order of the file
 * @returns captions that cannot be read, one line each
 * @throws SvcError INVALID_REQUEST for a file that is no WebVTT, and beyond a limit
 */
export async function parseCaptions(
  text: string,
  means: CaptionMeans,
  take: (caption: ParsedCaption) => void,
): Promise<string[]> {
  const { limits } = means;
  let captions = 0;
  const problems: string[] = [];
  /** The library knows neither captions without length nor hours of three digits. */
  const stated: Times[] = [];
  const reader = readLines(text.replaceAll('\0', '\uFFFD'), means, { number: () => captions + 1, problems, stated });
  await parseTextStream(
    { getReader: () => reader },
    {
      type: 'vtt',
      errors: true,
      onCue(caption) {
        const own = stated[captions];
        captions += 1;
        assertWithin(limits, captions);
        if (own !== undefined) take({ ...own, text: caption.text });
      },
      onError({ code, message }) {
        if (code > lastTimeError) return;
        if (code < lastTimeError) throw requestError(`the captions cannot be read: ${sanitizeLine(message)}`);
        problems.push(sanitizeLine(message));
      },
    },
  );
  return problems;
}

/**
 * Lines as the library takes them, without what costs it more than their length: settings, each of which may be an error,
 * and blanks around the arrow.
 *
 * @param number of the caption that the next lines are of
 */
function readLines(
  text: string,
  { limits, pace }: CaptionMeans,
  {
    number,
    problems,
    stated,
  }: { readonly number: () => number; readonly problems: string[]; readonly stated: Times[] },
): LineReader {
  const ends = /\r?\n|\r/g;
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  let count = 0;
  /** `head`: of WebVTT; `text`: of a caption; `other`: of notes and regions. */
  let block: 'none' | 'head' | 'text' | 'other' = 'head';
  let lines = 0;
  let characters = 0;
  let lineNumber = 0;
  /** The first line of a block that may be without times, and its number. */
  let untimed: { readonly line: string; readonly at: number } | undefined;

  function endUntimed(): void {
    if (untimed !== undefined && /\p{L}/u.test(untimed.line))
      problems.push(`${show(shorten(untimed.line.trim(), 40))} on line ${untimed.at} has no times`);
    untimed = undefined;
  }

  function begin(line: string): string {
    if (/^(?:NOTE|REGION|STYLE)(?=\s|$)/.test(line)) {
      block = 'other';
      return 'NOTE';
    }
    if (!line.includes(arrow)) {
      untimed ??= { line, at: lineNumber };
      return line;
    }
    untimed = undefined;
    block = 'text';
    lines = 0;
    characters = 0;
    const [, start = '', end = ''] = times.exec(line) ?? [];
    const [from, to] = [secondsOf(start), secondsOf(end)];
    const leave = (problem: string): string => {
      problems.push(problem);
      block = 'other';
      return 'NOTE';
    };
    const invalid = (which: 'start' | 'end', written: string): string =>
      `cue ${which} timestamp \`${shorten(written, 20)}\` is invalid on line ${lineNumber}, not as 00:00:01.000`;
    if (from === undefined) return leave(invalid('start', start || line.trim()));
    if (to === undefined) return leave(invalid('end', end || line.split(arrow)[1]?.trim() || ''));
    if (to < from) return leave(`the caption on line ${lineNumber} ends before it begins`);
    const behind = line.slice(times.exec(line)?.[0].length).replace(setting, '').trim();
    if (/\p{L}/u.test(behind))
      problems.push(`players don't show ${show(shorten(behind, 40))} behind the times on line ${lineNumber}`);
    stated.push({ startTime: from, endTime: to });
    return `00:00.000 ${arrow} 00:00.001`;
  }

  function goOn(line: string): string {
    if (lines === 0 && settings.test(line)) return 'align:center';
    lines += 1;
    characters += line.length;
    assertWithin(limits, number(), lines, characters);
    return line;
  }

  function next(): ReadLine {
    if (from > text.length) {
      endUntimed();
      return { value: '', done: true };
    }
    ends.lastIndex = from;
    lineNumber += 1;
    const end = ends.exec(text);
    const line = text.slice(from, end?.index ?? text.length);
    // Times end what is before them, also without an empty line.
    if (block !== 'none' && lineNumber > 1 && times.test(line)) {
      block = 'none';
      lineNumber -= 1;
      return { value: '', done: false };
    }
    from = end === null ? text.length + 1 : ends.lastIndex;
    if (line === '') {
      endUntimed();
      block = 'none';
    } else if (block === 'none') return { value: begin(line), done: false };
    else if (block === 'text') return { value: goOn(line), done: false };
    return { value: line, done: false };
  }

  return {
    read() {
      count += 1;
      return count % linesInTurn === 0 ? pace().then(next) : next();
    },
    cancel: () => undefined,
  };
}

/** The mark-up of a caption of WebVTT, in order, with the speaker whom each text is of. */
export function* spokenTexts(
  text: string,
  { nesting, captionNumber }: { readonly nesting: number; readonly captionNumber: number },
): Generator<{ readonly text: string; readonly voice: string | undefined; readonly isReading: boolean }> {
  interface Open {
    readonly node: CaptionNode;
    readonly voice: string | undefined;
    readonly depth: number;
    readonly isRuby: boolean;
    readonly isReading: boolean;
  }
  const open: Open[] = [];
  const enter = (nodes: readonly CaptionNode[], within: Omit<Open, 'node'>): void => {
    for (const node of nodes.toReversed()) open.push({ node, ...within });
  };
  enter(tokenizeVTTCue({ text: withKnownReferences(withoutStrayMarks(withoutQuotedBrackets(text))) }), {
    voice: undefined,
    depth: 0,
    isRuby: false,
    isReading: false,
  });
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    const { node, voice, depth, isRuby, isReading } = last;
    if (node.type === 'text') {
      yield { text: node.data, voice, isReading };
      continue;
    }
    // The library puts what follows a time within it.
    const inner = node.type === 'timestamp' ? depth : depth + 1;
    if (inner > nesting) throw requestError(`the caption ${captionNumber} nests more than ${nesting} tags`);
    const own = node.type === 'v' ? node.voice : voice;
    enter(node.children, {
      voice: own,
      depth: inner,
      isRuby: isRuby || node.type === 'ruby',
      isReading: isReading || (isRuby && node.type === 'rt'),
    });
  }
}

/** Angle brackets that begin no tag, with which players lose words, and overrides of ASS that a converter has left. */
const withoutStrayMarks = (text: string): string =>
  text.replace(/<(?![a-z/]|\d[\d:.]{0,20}>|[^<>\s]{1,40}>)/gi, '&lt;').replace(/\{\\[^{}\n]{1,500}\}/g, '');

/** The library knows a few of HTML's references only: the others as characters, or as those that it knows. */
const withKnownReferences = (text: string): string =>
  text.replace(/&(?!(?:amp|lt|gt);)(?:#[xX]?[\dA-Fa-f]{1,7}|[A-Za-z][A-Za-z\d]{1,31});?/g, (written) =>
    decodeHTML(written).replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? sign),
  );
