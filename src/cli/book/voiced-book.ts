/** A book with its voices: from tags in its text, the speakers of `--voices`, and the cast beside it. */
import type { Book, Chapter } from '../../book/book.ts';
import type { Cast, SpokenCast } from '../../book/cast.ts';
import { type ListedChapter, listChapters } from '../../book/list-chapters.ts';
import { scriptChapters, voiceTagsIn } from '../../book/scripted-chapters.ts';
import { entriesOf, type LexiconEntry, overlayLexicon } from '../../engine/lexicon/lexicon.ts';
import { SvcError } from '../../errors.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { ScriptVoiceChoices } from '../../voices/script-voices.ts';
import { type CommandVoices, chooseNamedVoices, voiceRevision } from '../options/voice-choice.ts';
import type { Warner } from '../output/warnings.ts';
import type { BookOptions } from './book-options.ts';

export interface VoicedBook {
  /** All that have words. */
  readonly chapters: readonly ListedChapter[];
  /** SSML of the beginning, in the voice of the narrator. */
  readonly opening: string;
  readonly voices: readonly BookVoice[];
  /** Quotations by the names of their voices. */
  readonly spoken: SpokenCast['spoken'];
}

/** A voice besides that of the narrator. */
interface BookVoice {
  /** As the sections name it. */
  readonly name: string;
  readonly stored: string;
  /** Where the book or its cast names it. */
  readonly place: string;
}

/** @throws SvcError INVALID_REQUEST also for a book without words */
export async function voiceBook(
  book: Book,
  {
    textFile,
    voices: speakers,
    cast: castPath = 'the cast',
    keep = [],
    preview,
  }: Pick<BookOptions, 'textFile' | 'voices' | 'cast' | 'keep' | 'preview'>,
  cast: Cast | undefined,
  warner: Warner,
): Promise<VoicedBook> {
  const extent = preview ? 'preview' : 'whole';
  const given = { ...speakers, ...charactersOf(cast) };
  const origin = cast === undefined ? '--voices' : castPath;
  const names = new Map(Object.entries(given).map(([name, stored]) => [name, { name, stored, place: origin }]));
  const readsTags = !keep.includes('tags');
  if (!readsTags && speakers !== undefined) throw requestError('--voices and --keep tags exclude each other');
  if (readsTags) {
    const known = new Set([...names.keys()].map((name) => name.toLowerCase()));
    for (const [name, chapter] of voiceTagsIn(book.chapters)) {
      if (!known.has(name.toLowerCase()))
        names.set(name, { name, stored: name, place: `the chapter ${quote(chapter)}` });
      known.add(name.toLowerCase());
    }
  }
  const scripted = readsTags
    ? scriptChapters(book.chapters, [...names.keys()], Object.keys(speakers ?? {}))
    : { chapters: book.chapters, spoken: new Set<string>(), warnings: [] };
  const plain = listChapters({ chapters: scripted.chapters }, extent);
  warner.report([...plain.warnings, ...scripted.warnings]);
  if (plain.chapters.length === 0) throw requestError(`the book ${quote(textFile)} has nothing to speak`);
  const opening = listChapters({ chapters: scripted.chapters.map(inOneVoice) }).chapters[0]?.sections[0]?.text ?? '';
  if (cast === undefined) {
    const silent = Object.keys(speakers ?? {}).filter((name) => !scripted.spoken.has(name));
    warner.report(silent.map((name) => `--voices names ${quote(name)}, who speaks no word of the book`));
    return { chapters: plain.chapters, opening, voices: [...names.values()], spoken: new Map() };
  }
  const { castChapters } = await import('../../book/cast.ts');
  const { chapters, spoken } = castChapters(withWords(scripted.chapters), cast, castPath);
  return { chapters: listChapters({ chapters }, extent).chapters, opening, voices: [...names.values()], spoken };
}

/** Those that `--list` numbers. */
export const withWords = (chapters: readonly Chapter[]): readonly Chapter[] =>
  chapters.filter((chapter) => listChapters({ chapters: [chapter] }).chapters.length > 0);

/** Voices by the names of characters; `quotes` speaks the quotations of nobody. */
function charactersOf(cast: Cast | undefined): Readonly<Record<string, string>> {
  const quotes = cast?.voices?.quotes;
  return { ...cast?.characters, ...(quotes === undefined ? {} : { quotes }) };
}

const inOneVoice = ({ segments, ...chapter }: Chapter): Chapter => ({
  ...chapter,
  segments: segments.map((segment) => (segment.kind === 'text' ? { kind: 'text', text: segment.text } : segment)),
});

/** @throws SvcError VOICE_NOT_FOUND, saying who names the voice */
export async function chooseBookVoices(
  { voices: named }: Pick<VoicedBook, 'voices'>,
  voices: CommandVoices,
): Promise<ScriptVoiceChoices> {
  const choices = new Map<string, ScriptVoiceChoices[string]>();
  for (const { name, stored, place } of named) {
    const chosen = await chooseNamedVoices({ [name]: stored }, undefined, voices).catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error;
      throw new SvcError(error.code, `${place}: ${error.message}`, { param: error.param, cause: error.cause });
    });
    for (const [own, choice] of Object.entries(chosen)) choices.set(own, choice);
  }
  return Object.fromEntries(choices);
}

/** What the audio of a book depends on besides its text: nothing for one without voices of its own. */
export async function castRevision(
  { voices: named }: Pick<VoicedBook, 'voices'>,
  cast: Cast | undefined,
  voices: CommandVoices,
): Promise<readonly unknown[]> {
  if (named.length === 0 && cast === undefined) return [];
  const revisions = await Promise.all(
    named.map(async ({ name, stored }) => [name, stored, await voiceRevision(stored, voices)]),
  );
  return [revisions, cast ?? null];
}

/** The pronunciations of a chapter; those of the options take precedence. */
export function lexiconOf(
  cast: Cast | undefined,
  number: number,
  own: readonly LexiconEntry[] | undefined,
): readonly LexiconEntry[] | undefined {
  const chapter = cast?.chapters?.find((entry) => entry.chapter === number);
  const all = overlayLexicon(entriesOf(cast?.pronunciations), entriesOf(chapter?.pronunciations));
  return all.length === 0 ? own : overlayLexicon(all, own);
}

/** Seconds of silence after a chapter; undefined for the usual. */
export const pauseAfterChapter = (cast: Cast | undefined, number: number): number | undefined =>
  cast?.chapters?.find((entry) => entry.chapter === number)?.pause ?? cast?.pauses?.chapter;
