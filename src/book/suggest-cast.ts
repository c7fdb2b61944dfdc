/** A cast to begin with, from quotation marks and the verbs beside them. A person corrects it. */
import { z } from 'zod';
import { textsOf } from '../engine/script/passage.ts';
import { parse } from '../validation.ts';
import type { Chapter } from './book.ts';
import type { Cast, CastLine } from './cast.ts';
import { lettersOf } from './chapter-pieces.ts';
import { checkChapters } from './check-chapters.ts';
import { type Quotation, quotationsIn, wordsBefore, wordsBehind } from './quotations.ts';
import { speakerNamed } from './speech-verbs.ts';

/** Who speaks quotations beside which nobody is named. */
export const unknownCharacter = 'unknown';

/** Characters that tell quotations apart, for readers too. */
const longestBeginning = 60;

const voicesSchema = z.object({
  voices: z.tuple([z.string()], z.string(), { error: 'a list of at least one name of a voice' }),
});

/**
 * @param chapters by their numbers: those that have words
 * @param voices to choose from, in turn; the first one for the narrator, who speaks unknown quotations too
 * @throws SvcError INVALID_REQUEST for arguments of other types
 */
export function suggestCast(chapters: readonly Chapter[], voices: readonly [string, ...string[]]): Cast {
  checkChapters(chapters);
  const [narrator, ...others] = parse(voicesSchema, { voices }).voices;
  const counts = new Map<string, number>();
  const cast = chapters.map(({ title, segments }, index) => {
    const lines = linesOf(textsOf(segments));
    for (const { character = unknownCharacter } of lines) counts.set(character, (counts.get(character) ?? 0) + 1);
    return { chapter: index + 1, title, ...(lines.length === 0 ? {} : { lines }) };
  });
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const known = names.filter((name) => name !== unknownCharacter);
  const voiceOf = (index: number): string => others[index % others.length] ?? narrator;
  const characters: Record<string, string> = Object.fromEntries(known.map((name, index) => [name, voiceOf(index)]));
  if (counts.has(unknownCharacter)) characters[unknownCharacter] = narrator;
  return { voices: { narrator, quotes: narrator }, characters, chapters: cast };
}

/** Lines of a cast for the paragraphs of a chapter. */
function linesOf(paragraphs: readonly string[]): CastLine[] {
  const lines: CastLine[] = [];
  /** Speakers of the paragraphs before, where nothing but speech is between them. */
  let exchange: (string | undefined)[] = [];
  for (const paragraph of paragraphs) {
    const said = quotationsIn(paragraph).filter(({ isSpeech }) => isSpeech);
    if (said.length === 0) {
      exchange = [];
      continue;
    }
    const named = said.map(({ start, end }) => speakerNamed(before(paragraph, start), behind(paragraph, end)));
    const one = named.find((name) => name !== undefined);
    // Two who talk take turns.
    const speaker = one ?? (isAllSpeech(paragraph, said) ? exchange.at(-2) : undefined);
    exchange.push(speaker);
    for (const [index, { start, end }] of said.entries()) {
      const quote = beginningOf(paragraph.slice(start, end));
      if (lettersOf(quote) !== '') lines.push({ quote, character: named[index] ?? speaker ?? unknownCharacter });
    }
  }
  return lines;
}

/** Up to the quotations around it, whose words name nobody. */
const before = (paragraph: string, start: number): string => wordsBefore(paragraph, start).replace(/^.*[”»"’“]/su, '');
const behind = (paragraph: string, end: number): string => wordsBehind(paragraph, end).split(/[“„«"‘「]/u)[0] as string;

const isAllSpeech = (paragraph: string, said: readonly Quotation[]): boolean =>
  said.length === 1 && said[0]?.start === 0 && said[0].end === paragraph.length;

function beginningOf(quotation: string): string {
  const words = quotation.replace(/^[\p{P}\s]+/u, '').replace(/[\p{Pf}\p{Pi}"“”’」』\s]{1,9}$/u, '');
  if (words.length <= longestBeginning) return words;
  const cut = words.lastIndexOf(' ', longestBeginning);
  return words.slice(0, cut > longestBeginning / 2 ? cut : longestBeginning);
}
