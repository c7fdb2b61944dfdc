/** Who speaks what in a book: the cast file that a person writes beside it. */
import { z } from 'zod';
import { longestEntry } from '../engine/lexicon/lexicon.ts';
import { longestPause, passagesOf, type Segment } from '../engine/script/passage.ts';
import { longestVoiceName } from '../engine/voice-fields.ts';
import { didYouMean, listed, quote } from '../messages.ts';
import { numberIn, parse, recordOf, requestError, text } from '../validation.ts';
import type { Chapter } from './book.ts';
import { lettersOf } from './chapter-pieces.ts';
import { checkChapters } from './check-chapters.ts';
import { quotationsIn } from './quotations.ts';
import { pauseAfter } from './scripted-chapters.ts';

/** Names with a meaning of their own. */
export const quotesName = 'quotes';
const reserved: readonly string[] = [quotesName, 'narrator', 'default'];

const most = { chapters: 10_000, characters: 1_000, lines: 100_000, words: 10_000 } as const;

const voice = text.min(1, { error: 'the name of a voice' });
const pause = numberIn({ kind: 'number', minimum: 0, maximum: longestPause });
const pronunciations = recordOf(
  text.min(1).max(longestEntry, { error: `a respelling of 1 to ${longestEntry} characters` }),
  { most: most.words, longest: longestEntry, error: 'respellings by words, such as {Cheshire: Chesher}' },
);

const line = z.strictObject(
  {
    /** How the quotation begins. */
    quote: text.regex(/[\p{L}\p{N}]/u, { error: 'the beginning of a quotation' }),
    character: text.optional(),
    /** Silence before it, in seconds. */
    pause: pause.optional(),
  },
  { error: 'an object such as {quote: "Oh dear!", character: Rabbit}' },
);

const chapter = z.strictObject(
  {
    chapter: z.int({ error: 'the number of a chapter' }).min(1, { error: 'the number of a chapter' }),
    /** For the reader of the file. */
    title: text.optional(),
    /** Silence after the chapter, in seconds. */
    pause: pause.optional(),
    pronunciations: pronunciations.optional(),
    /** In the order of the chapter. */
    lines: z.array(line, { error: 'a list of quotations' }).max(most.lines).optional(),
  },
  { error: 'an object such as {chapter: 1, lines: [...]}' },
);

const castSchema = z.strictObject({
  voices: z
    .strictObject({ narrator: voice.optional(), quotes: voice.optional() }, { error: 'narrator and quotes' })
    .optional(),
  /** Voices by the names of the characters. */
  characters: recordOf(voice, {
    most: most.characters,
    longest: longestVoiceName,
    error: 'voices by names of characters, such as {Alice: iris}',
  }).optional(),
  pronunciations: pronunciations.optional(),
  pauses: z.strictObject({ chapter: pause.optional() }, { error: 'such as {chapter: 2}' }).optional(),
  chapters: z.array(chapter, { error: 'a list of chapters' }).max(most.chapters).optional(),
});

export type Cast = Readonly<z.output<typeof castSchema>>;
export type CastLine = Readonly<z.output<typeof line>>;

/** Lines of the file by fields such as `chapters.0.lines.3`. */
export type LinesOfFields = Readonly<Record<string, number>>;

/** A cast, and where its chapters and lines are in its file. */
export interface CastFile {
  readonly cast: Cast;
  /** Its path. */
  readonly name: string;
  readonly lines: LinesOfFields;
}

/**
 * @param name of the file, for messages
 * @throws SvcError INVALID_REQUEST for a field, character or chapter that doesn't fit
 */
export function parseCast(value: unknown, name: string): Cast {
  const cast = parse(castSchema, value, name);
  const names = Object.keys(cast.characters ?? {});
  const taken = names.find((character) => reserved.includes(character.toLowerCase()));
  if (taken !== undefined)
    throw requestError(`${name}: no character can be called ${quote(taken)}; use another name`, `characters.${taken}`);
  const known = new Set(names);
  const seen = new Set<number>();
  for (const [index, { chapter: number, lines = [] }] of (cast.chapters ?? []).entries()) {
    if (seen.has(number))
      throw requestError(`${name}: chapter ${number} is there twice; put its lines together`, `chapters.${index}`);
    seen.add(number);
    for (const [line, { character, quote: said }] of lines.entries()) {
      if (character === undefined || known.has(character)) continue;
      const choices = names.length === 0 ? 'characters lists none' : `characters lists ${listed(names)}`;
      throw requestError(
        `${name}: unknown character ${quote(character)} of ${quote(said)} in chapter ${number} (${choices})${didYouMean(character, names)}`,
        `chapters.${index}.lines.${line}.character`,
      );
    }
  }
  return cast;
}

export interface SpokenCast {
  readonly chapters: readonly Chapter[];
  /** Quotations and their characters by the names in which they are spoken. */
  readonly spoken: ReadonlyMap<string, { readonly quotations: number; readonly characters: number }>;
}

const placeOf = (name: string, lines: LinesOfFields, field: string): string =>
  lines[field] === undefined ? name : `${name}, line ${lines[field]}`;

/**
 * Speaks quotations in the voices of their characters, and those that no line names in the voice of `quotes`, if there is one.
 *
 * @param chapters by their numbers: those that have words
 * @throws SvcError INVALID_REQUEST for a chapter or quotation that the book doesn't have
 */
export function castChapters(
  chapters: readonly Chapter[],
  cast: Cast,
  name = 'the cast',
  lines: LinesOfFields = {},
): SpokenCast {
  checkChapters(chapters);
  parse(castSchema, cast, name);
  const byNumber = new Map((cast.chapters ?? []).map((entry, index) => [entry.chapter, { ...entry, index }]));
  for (const [number, { index }] of byNumber) {
    if (number <= chapters.length) continue;
    const field = `chapters.${index}`;
    const problem = `the book has no chapter ${number}, only ${chapters.length}; --list lists them`;
    throw requestError(`${placeOf(name, lines, field)}: ${problem}`, field);
  }
  const spoken = new Map<string, { quotations: number; characters: number }>();
  const others = cast.voices?.quotes === undefined ? undefined : quotesName;
  const chaptersInVoices = chapters.map((own, index) => {
    const { lines: quotes = [], index: entry } = byNumber.get(index + 1) ?? {};
    if (quotes.length === 0 && others === undefined) return own;
    const reader = lineReader(quotes);
    const segments = passagesOf(own.segments).flatMap(({ text: said, pauseSeconds, marks: _, ...manner }) => {
      const pieces: Segment[] = [];
      let end = 0;
      for (const { start, end: close, isSpeech } of manner.voice === undefined ? quotationsIn(said) : []) {
        const own = reader.lineOf(said.slice(start, close));
        const speaker = own === undefined ? (isSpeech ? others : undefined) : (own.character ?? others);
        if (own?.pause === undefined && speaker === undefined) continue;
        pieces.push({ kind: 'text', text: said.slice(end, start), ...manner });
        if (own?.pause !== undefined) pieces.push({ kind: 'pause', seconds: own.pause, from: 'author' });
        pieces.push({ kind: 'text', text: said.slice(start, close), ...manner, voice: speaker });
        end = close;
        if (speaker === undefined) continue;
        const { quotations, characters } = spoken.get(speaker) ?? { quotations: 0, characters: 0 };
        spoken.set(speaker, { quotations: quotations + 1, characters: characters + close - start });
      }
      pieces.push({ kind: 'text', text: said.slice(end), ...manner }, ...pauseAfter(pauseSeconds));
      return pieces;
    });
    const left = reader.left();
    if (left !== undefined) {
      const field = `chapters.${entry}.lines.${left.index}`;
      throw requestError(`${placeOf(name, lines, field)}: chapter ${index + 1} ${left.problem}`, field);
    }
    return { ...own, segments };
  });
  return { chapters: chaptersInVoices, spoken };
}

/** Finds the line of each quotation; both come in the order of the chapter. */
function lineReader(lines: readonly CastLine[]) {
  const letters = lines.map(({ quote: said }) => lettersOf(said));
  const passed: string[] = [];
  let next = 0;
  return {
    lineOf(quotation: string): CastLine | undefined {
      const wanted = letters[next];
      if (wanted === undefined) return undefined;
      const own = lettersOf(quotation);
      if (own.startsWith(wanted)) {
        next += 1;
        passed.length = 0;
        return lines[next - 1];
      }
      passed.push(quotation.slice(0, 200));
      return undefined;
    },
    /** The first line that no quotation has, and what the chapter lacks; undefined for none. */
    left(): { readonly index: number; readonly problem: string } | undefined {
      const left = lines[next];
      if (left === undefined) return undefined;
      // Without their opening marks.
      const beginnings = passed.map((said) => said.slice(1, 1 + left.quote.length).trim());
      const behind = next === 0 ? '' : ` behind ${quote(lines[next - 1]?.quote ?? '')}`;
      const problem = `has no quotation that begins with ${quote(left.quote)}${behind}${didYouMean(left.quote, beginnings)}`;
      return { index: next, problem };
    },
  };
}
