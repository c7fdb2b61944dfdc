/** The captions of a file, as its library parses them: the only place that calls it, line by line and within limits. */
import * as mediaCaptions from 'media-captions';
import { createPace } from '../event-loop.ts';
import { sanitizeLine } from '../messages.ts';
import { requestError } from '../validation.ts';

/** What captions may have at most, so that no file takes more work or memory than its length. */
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

/** Of files on the user's own machine. */
export const fileLimits: CaptionLimits = {
  characters: 16 * 2 ** 20,
  captions: 1_000_000,
  lines: 1_000,
  captionCharacters: 65_536,
  nesting: 64,
  speakers: 1_000,
};

/** What is used of the library, whose own types Node.js' resolution doesn't find. */
interface CaptionsLibrary {
  /** Reads with `getReader` alone. */
  parseTextStream(lines: { getReader(): LineReader }, options: ParseOptions): Promise<unknown>;
  tokenizeVTTCue(cue: Pick<ParsedCaption, 'text'>): readonly CaptionNode[];
}

interface LineReader {
  read(): ReadLine | Promise<ReadLine>;
  cancel(): void;
}

interface ReadLine {
  readonly value: string;
  readonly done: boolean;
}

interface ParseOptions {
  readonly type: CaptionFileType;
  readonly errors: true;
  readonly onCue: (caption: ParsedCaption) => void;
  readonly onError: (error: CaptionError) => void;
}

export type CaptionFileType = 'srt' | 'vtt';

export interface ParsedCaption {
  /** Seconds. */
  readonly startTime: number;
  readonly endTime: number;
  readonly text: string;
}

interface CaptionError {
  readonly code: number;
  readonly message: string;
}

/** Errors with greater codes are about looks. */
const lastTimeError = 2;

/** Mark-up of WebVTT. */
export type CaptionNode =
  | { readonly type: 'text'; readonly data: string }
  | { readonly type: 'v'; readonly voice: string; readonly children: readonly CaptionNode[] }
  | { readonly type: 'timestamp' | 'other'; readonly children: readonly CaptionNode[] };

const { parseTextStream, tokenizeVTTCue } = mediaCaptions as unknown as CaptionsLibrary;

const arrow = '-->';
/** Times without the settings behind them, which are about looks. */
const times = /^[ \t]{0,9}([\d:.,]{1,20})[ \t]{1,9}-->[ \t]{1,9}(\S{1,20})/;
/** A line that begins so states times. */
const timeLine = /^[ \t]{0,9}[\d:.,]{1,20}[ \t]{1,9}-->/u;
/** Settings behind the times, in a line of their own. */
const settings = /^[ \t]*(?:region|vertical|line|position|size|align)[:=]/;

/** Lines between two looks at the clock. */
const linesInTurn = 64;

/**
 * @param take gets each caption, in the order of the file
 * @throws SvcError INVALID_REQUEST for times that cannot be read, a caption that ends before it begins, and beyond a limit
 */
export async function parseCaptions(
  text: string,
  type: CaptionFileType,
  limits: CaptionLimits,
  take: (caption: ParsedCaption) => void,
): Promise<void> {
  if (text.length > limits.characters) {
    throw requestError(`the captions have ${text.length} characters; the limit is ${limits.characters}`);
  }
  let captions = 0;
  const reader = readLines(text, type, limits, () => captions + 1);
  await parseTextStream(
    { getReader: () => reader },
    {
      type,
      errors: true,
      onCue(caption) {
        captions += 1;
        if (captions > limits.captions)
          throw requestError(`there are more captions than the limit of ${limits.captions}`);
        take(caption);
      },
      onError({ code, message }) {
        if (code <= lastTimeError) throw requestError(`the captions cannot be read: ${sanitizeLine(message)}`);
      },
    },
  );
  // The library leaves them out.
  const missing = reader.stated() - captions;
  if (missing > 0) throw requestError(`the captions cannot be read: ${missing} of them end before they begin`);
}

/**
 * Lines as the library takes them, without what costs it more than their length: settings, each of which may be an error,
 * and blanks around the arrow.
 *
 * @param number of the caption that the next lines are of
 */
function readLines(
  text: string,
  type: CaptionFileType,
  limits: CaptionLimits,
  number: () => number,
): LineReader & { stated(): number } {
  const ends = /\r?\n|\r/g;
  const pace = createPace();
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  let count = 0;
  let stated = 0;
  /** `head`: of WebVTT; `text`: of a caption; `other`: of notes and regions. */
  let block: 'none' | 'head' | 'text' | 'other' = type === 'vtt' ? 'head' : 'none';
  let lines = 0;
  let characters = 0;

  function begin(line: string): string {
    if (type === 'vtt' && (line.startsWith('NOTE') || line.startsWith('REGION'))) {
      block = 'other';
      return 'NOTE';
    }
    if (!line.includes(arrow)) return line;
    block = 'text';
    lines = 0;
    characters = 0;
    const [, start, end] = times.exec(line) ?? [];
    return start === undefined ? line.replace(/\s+/gu, ' ') : `${start} ${arrow} ${end}`;
  }

  function goOn(line: string): string {
    if (lines === 0 && type === 'vtt' && settings.test(line)) return 'align:center';
    lines += 1;
    characters += line.length;
    if (lines > limits.lines) throw requestError(`the caption ${number()} has more than ${limits.lines} lines`);
    if (characters > limits.captionCharacters) {
      throw requestError(`the caption ${number()} has more than ${limits.captionCharacters} characters`);
    }
    return line;
  }

  function next(): ReadLine {
    if (from > text.length) return { value: '', done: true };
    ends.lastIndex = from;
    const end = ends.exec(text);
    const line = text.slice(from, end?.index ?? text.length);
    from = end === null ? text.length + 1 : ends.lastIndex;
    if (timeLine.test(line)) stated += 1;
    if (line === '') block = 'none';
    else if (block === 'none') return { value: begin(line), done: false };
    else if (block === 'text') return { value: goOn(line), done: false };
    return { value: line, done: false };
  }

  return {
    read() {
      count += 1;
      return count % linesInTurn === 0 ? pace().then(next) : next();
    },
    cancel: () => undefined,
    stated: () => stated,
  };
}

/** The mark-up of a caption of WebVTT, in order, with the speaker whom each text is of. */
export function* spokenTexts(
  text: string,
  { nesting, captionNumber }: { readonly nesting: number; readonly captionNumber: number },
): Generator<{ readonly text: string; readonly voice: string | undefined }> {
  interface Open {
    readonly node: CaptionNode;
    readonly voice: string | undefined;
    readonly depth: number;
  }
  const open: Open[] = [];
  const enter = (nodes: readonly CaptionNode[], voice: string | undefined, depth: number): void => {
    for (const node of nodes.toReversed()) open.push({ node, voice, depth });
  };
  enter(tokenizeVTTCue({ text }), undefined, 0);
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    const { node, voice, depth } = last;
    if (node.type === 'text') {
      yield { text: node.data, voice };
      continue;
    }
    // The library puts what follows a time within it.
    const inner = node.type === 'timestamp' ? depth : depth + 1;
    if (inner > nesting) throw requestError(`the caption ${captionNumber} nests more than ${nesting} tags`);
    enter(node.children, node.type === 'v' ? node.voice : voice, inner);
  }
}
