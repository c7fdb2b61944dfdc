/**
 * Passages of a script: runs of text, each in one voice at one rate, with the silence between them. The parsers of Markdown,
 * SSML and script tags write segments; `passagesOf` joins these to passages, which the splitter cuts into parts.
 */
import { atOnce, type Steps } from '../../event-loop.ts';

export interface Manner {
  /** Name of a voice of the request; the voice of the request itself when left out. */
  readonly voice?: string | undefined;
  /** Speaking rate: 2 is twice as fast, at the same pitch. */
  readonly rate?: number | undefined;
  /** BCP 47 tag, where the script names one; of a passage, that of its first words. */
  readonly language?: string | undefined;
}

export type Segment =
  | ({ readonly kind: 'text'; readonly text: string } & Manner)
  /** A stated pause replaces what the structure of the text suggests, such as the pause between paragraphs. */
  | { readonly kind: 'pause'; readonly seconds: number; readonly from: 'author' | 'structure' }
  | { readonly kind: 'mark'; readonly name: string };

export interface Mark {
  readonly name: string;
  /** Offset in the passage's text, in UTF-16 code units. */
  readonly offset: number;
}

export interface Passage extends Manner {
  /** Trimmed; empty only for silence and marks at the beginning of a script. */
  readonly text: string;
  /** Silence after it in seconds; undefined where the text itself decides. */
  readonly pauseSeconds?: number | undefined;
  readonly marks: readonly Mark[];
}

export interface Script {
  readonly passages: readonly Passage[];
  /** Pauses that the author states, together, in seconds. */
  readonly statedSeconds: number;
  /** One line each: what was ignored, and where. */
  readonly warnings: readonly string[];
}

/** Silence that the structure of a text suggests, in seconds. */
export const structurePauses = { line: 0.4, item: 0.5, sentence: 0.4, paragraph: 0.9, heading: 1, rule: 1.2 } as const;

/** Longest pause that a script may ask for, in seconds. */
export const longestPause = 60;

interface Open extends Manner {
  text: string;
  marks: Mark[];
}

/**
 * Joins segments to passages: a pause or another manner of speaking ends one.
 *
 * @param closing who decides on the silence after the last word: where nothing follows, the author alone
 * @param onStated called with each pause that the author states, in seconds
 */
export const passagesOf = (segments: Iterable<Segment>, closing?: 'author' | 'structure'): readonly Passage[] =>
  atOnce(passageSteps(segments, closing));

export const textsOf = (segments: Iterable<Segment>): readonly string[] => passagesOf(segments).map(({ text }) => text);

/** The same in steps: where there is undefined between segments, other work may go first. */
export function* passageSteps(
  segments: Iterable<Segment | undefined>,
  closing: 'author' | 'structure' = 'author',
  onStated: (seconds: number) => void = () => undefined,
): Steps<readonly Passage[]> {
  const passages: Passage[] = [];
  let open: Open | undefined;
  let stated: number | undefined;
  let suggested: number | undefined;

  function finish(): void {
    const pauseSeconds = stated ?? suggested;
    if (stated !== undefined) onStated(stated);
    stated = suggested = undefined;
    if (open === undefined) {
      if (pauseSeconds === undefined || (passages.length === 0 && pauseSeconds === 0)) return;
      const last = passages.at(-1);
      if (last === undefined) passages.push({ text: '', pauseSeconds, marks: [] });
      else passages[passages.length - 1] = { ...last, pauseSeconds };
      return;
    }
    passages.push(withoutOuterSpace(open, pauseSeconds));
    open = undefined;
  }

  for (const given of segments) {
    if (given === undefined) {
      yield;
      continue;
    }
    let segment = given;
    if (segment.kind === 'pause') {
      const { seconds, from } = segment;
      if (from === 'author') stated = Math.min(longestPause, (stated ?? 0) + seconds);
      // Before the first word the structure suggests nothing.
      else if (open !== undefined || suggested !== undefined) suggested = Math.max(suggested ?? 0, seconds);
      continue;
    }
    const differs = segment.kind === 'text' && open !== undefined && !sameManner(open, segment);
    if (segment.kind === 'text' && (stated !== undefined || suggested !== undefined || differs)) {
      const [marks = ''] = (stated === undefined && !differs ? leadingMark : leadingMarks).exec(segment.text) ?? [];
      // Marks alone between stated pauses stay, as these pauses don't add up.
      const isAlone = marks.trimEnd() === segment.text.trimEnd();
      if (marks !== '' && (!isAlone || stated === undefined)) {
        if (open !== undefined && !endsWithMark.test(open.text.slice(-longestEnd)))
          open.text = open.text.trimEnd() + marks.trim();
        segment = { ...segment, text: segment.text.slice(marks.length) };
      }
    }
    if (segment.kind === 'text' && segment.text.trim() === '') {
      if (open !== undefined && stated === undefined && suggested === undefined) open.text += segment.text;
      continue;
    }
    if (stated !== undefined || suggested !== undefined || differs) finish();
    if (segment.kind === 'text') {
      const { kind: _, text, ...manner } = segment;
      if (open === undefined) open = { ...manner, text, marks: [] };
      else if (open.text === '') open = { ...manner, text, marks: open.marks };
      else open.text += text;
    } else {
      open ??= { text: '', marks: [] };
      open.marks.push({ name: segment.name, offset: open.text.length });
    }
  }
  if (closing === 'author') suggested = undefined;
  finish();
  return passages;
}

/** The end of the words before a pause or a voice, as in `Wait <break/>." Go.`; no passage begins with it. */
const leadingMarks = /^\s*(?:[.,;:!?…]+["”’)\]»]*(?=\s|$)|[)”»]+[.,;:!?…]*(?=\s|$)|[。，！？；：、]+[”’」』）]*)\s*/u;
/** A paragraph may begin with three dots, but not with one. */
const leadingMark = /^\s*(?:[.,;:!?](?=\s|$)|[。，！？；：、]+)\s*/u;
/** Characters in which the end of a passage is looked for. */
const longestEnd = 200;
const endsWithMark = /[.,;:!?…。，！？；：、]\s*$/u;

/** A language alone doesn't end a passage: the model hears it from the words. */
const sameManner = (one: Manner & { readonly text: string }, other: Manner): boolean =>
  one.text === '' || (one.voice === other.voice && one.rate === other.rate);

function withoutOuterSpace({ text, marks, ...manner }: Open, pauseSeconds: number | undefined): Passage {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const moved = marks.map(({ name, offset }) => ({
    name,
    offset: Math.min(trimmed.length, Math.max(0, offset - start)),
  }));
  return { ...manner, text: trimmed, pauseSeconds, marks: moved };
}
