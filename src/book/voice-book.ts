/** A book with its voices: from tags in its text, the speakers of `--voices`, and the cast beside it. */
import { quote } from '../messages.ts';
import { requestError } from '../validation.ts';
import type { Chapter } from './book.ts';
import { type Cast, type CastFile, castChapters, type SpokenCast } from './cast.ts';
import type { KeptKind } from './left-out.ts';
import { type ListedChapter, listChapters } from './list-chapters.ts';
import { scriptChapters, voiceTagsIn } from './scripted-chapters.ts';

export interface Voicing {
  /** Stored voices by the names of speakers. */
  readonly voices?: Readonly<Record<string, string>> | undefined;
  readonly cast?: CastFile | undefined;
  readonly keep?: readonly KeptKind[] | undefined;
  readonly extent: 'whole' | 'preview';
}

export interface VoicedBook {
  /** All that have words. */
  readonly chapters: readonly ListedChapter[];
  /** SSML of the beginning, in the voice of the narrator. */
  readonly opening: string;
  readonly voices: readonly BookVoice[];
  /** Quotations by the names of their voices. */
  readonly spoken: SpokenCast['spoken'];
  readonly warnings: readonly string[];
}

/** A voice besides that of the narrator. */
export interface BookVoice {
  /** As the sections name it. */
  readonly name: string;
  readonly stored: string;
  /** Where the book or its cast names it. */
  readonly place: string;
}

/** @throws SvcError INVALID_REQUEST also for a book without words */
export function voiceBook(
  read: readonly Chapter[],
  path: string,
  { voices: speakers, cast, keep = [], extent }: Voicing,
): VoicedBook {
  const given = { ...speakers, ...charactersOf(cast?.cast) };
  const origin = cast?.name ?? '--voices';
  const names = new Map(Object.entries(given).map(([name, stored]) => [name, { name, stored, place: origin }]));
  const readsTags = !keep.includes('tags');
  if (!readsTags && speakers !== undefined) throw requestError('--voices and --keep tags exclude each other');
  if (readsTags) {
    const known = new Set([...names.keys()].map((name) => name.toLowerCase()));
    for (const [name, chapter] of voiceTagsIn(read)) {
      if (!known.has(name.toLowerCase()))
        names.set(name, { name, stored: name, place: `the chapter ${quote(chapter)}` });
      known.add(name.toLowerCase());
    }
  }
  const scripted = readsTags
    ? scriptChapters(read, [...names.keys()], Object.keys(speakers ?? {}))
    : { chapters: read, spoken: new Set<string>(), warnings: [] };
  const plain = listChapters({ chapters: scripted.chapters }, extent);
  const warnings = [...plain.warnings, ...scripted.warnings];
  const [first] = plain.chapters;
  if (first === undefined) throw requestError(`the book ${quote(path)} has nothing to speak`);
  const opening = openingOf(scripted.chapters);
  const voices = [...names.values()];
  if (cast === undefined) {
    const silent = Object.keys(speakers ?? {}).filter((name) => !scripted.spoken.has(name));
    const unheard = silent.map((name) => `--voices names ${quote(name)}, who speaks no word of the book`);
    return { chapters: plain.chapters, opening, voices, spoken: new Map(), warnings: [...warnings, ...unheard] };
  }
  const { chapters, spoken } = castChapters(withWords(scripted.chapters), cast.cast, cast.name, cast.lines);
  return { chapters: listChapters({ chapters }, extent).chapters, opening, voices, spoken, warnings };
}

/** Those that `--list` numbers. */
export const withWords = (chapters: readonly Chapter[]): readonly Chapter[] =>
  chapters.filter((chapter) => listChapters({ chapters: [chapter] }).chapters.length > 0);

/** The first section, in one voice. */
function openingOf(chapters: readonly Chapter[]): string {
  for (const chapter of chapters) {
    const [listed] = listChapters({ chapters: [inOneVoice(chapter)] }).chapters;
    if (listed !== undefined) return listed.sections[0]?.text ?? '';
  }
  return '';
}

/** Voices by the names of characters; `quotes` speaks the quotations of nobody. */
function charactersOf(cast: Cast | undefined): Readonly<Record<string, string>> {
  const quotes = cast?.voices?.quotes;
  return { ...cast?.characters, ...(quotes === undefined ? {} : { quotes }) };
}

const inOneVoice = ({ segments, ...chapter }: Chapter): Chapter => ({
  ...chapter,
  segments: segments.map((segment) => (segment.kind === 'text' ? { kind: 'text', text: segment.text } : segment)),
});
