/** Script tags and dialogue in the chapters of a book. */
import { type Passage, passagesOf, type Segment, textsOf } from '../engine/script/passage.ts';
import { type CurrentVoice, type TagOptions, tagSegments } from '../engine/script/tags.ts';
import { unknownSpeakers } from '../engine/script/unknown-speakers.ts';
import { voiceNamesIn } from '../engine/script/voice-names.ts';
import { quote } from '../messages.ts';
import { requestError } from '../validation.ts';
import type { Chapter } from './book.ts';

const mostHints = 10;

/** Voices that tags name; each tag is compared with all of them. */
const mostVoices = 1_000;

/** Names in tags such as `[voice:anna]`, with the chapter of each. @throws SvcError INVALID_REQUEST for too many */
export function voiceTagsIn(chapters: readonly Chapter[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { title, segments } of chapters) {
    for (const text of textsOf(segments)) {
      if (!text.includes('[')) continue;
      for (const name of voiceNamesIn(text, 'script')) if (!found.has(name)) found.set(name, title);
      if (found.size > mostVoices)
        throw requestError(`the tags of the book name more than ${mostVoices} voices; --keep tags reads them as text`);
    }
  }
  return found;
}

/**
 * Speaks tags such as `[voice:anna]` and `[pause:1s]`, and paragraphs that begin with the name of a voice and a colon. A voice
 * speaks until another one does, at most to the end of its chapter. Other chapters stay as they are.
 *
 * @param voices all names that the book may use
 * @param speakers those that begin paragraphs
 * @throws SvcError INVALID_REQUEST for a voice that is not among them
 */
export function scriptChapters(
  chapters: readonly Chapter[],
  voices: readonly string[],
  speakers: readonly string[] = [],
) {
  /** Names of the voices in which something is spoken. */
  const spoken = new Set<string>();
  const warnings = new Set<string>();
  const scripted = chapters.map((chapter): Chapter => {
    const passages = passagesOf(chapter.segments);
    if (!passages.some(({ text }) => hasTags(text)) && speakers.length === 0) return chapter;
    const current: CurrentVoice = { name: undefined };
    const segments = passages.flatMap((passage) => {
      const place = `in the chapter ${quote(chapter.title)}`;
      const warn = (warning: string): void => void warnings.add(warning);
      return [...spokenIn(passage, { voices, dialogue: speakers, current, place, warn, mistakes: 'read' })];
    });
    for (const segment of segments) {
      if (segment.kind === 'text' && segment.voice !== undefined && segment.text.trim() !== '')
        spoken.add(segment.voice);
    }
    return { ...chapter, segments };
  });
  if (speakers.length > 0) {
    const text = chapters.flatMap(({ segments }) => textsOf(segments)).join('\n');
    for (const hint of unknownSpeakers(text, speakers, spoken)) warnings.add(hint.replace(/ on line \d+/, ''));
  }
  return { chapters: scripted, spoken, warnings: [...warnings].slice(0, mostHints) };
}

const tag = /\[(?:pause|voice):[^[\]\n]{1,100}\]/i;
const hasTags = (text: string): boolean => text.includes('[') && tag.test(text);

function* spokenIn(passage: Passage, reading: TagOptions): Generator<Segment> {
  const { pauseSeconds, text, marks: _, ...manner } = passage;
  for (const segment of tagSegments(text, reading)) yield segment.kind === 'text' ? { ...manner, ...segment } : segment;
  yield* pauseAfter(pauseSeconds);
}

/** Segments that end a passage. */
export const pauseAfter = (seconds: number | undefined): readonly Segment[] =>
  seconds === undefined ? [] : [{ kind: 'pause', seconds, from: 'structure' }];
