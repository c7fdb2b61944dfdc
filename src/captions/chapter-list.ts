/** Where chapters begin: as WebVTT for players, and as the list that YouTube reads in a description. */
import { clock, escaped } from './captions.ts';

export interface TimedChapter {
  readonly title: string;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
}

export const chapterListFormats = ['vtt', 'txt'] as const;
export type ChapterListFormat = (typeof chapterListFormats)[number];

/** @param chapters in order of time */
export function formatChapterList(chapters: readonly TimedChapter[], format: ChapterListFormat): string {
  if (format === 'txt') {
    const hasHours = (chapters.at(-1)?.start ?? 0) >= 3600;
    return chapters.map(({ title, start }) => `${position(start, hasHours)} ${oneLine(title)}\n`).join('');
  }
  const cues = chapters.map(({ title, start, end }, index) => {
    return `${index + 1}\n${clock(start, '.')} --> ${clock(end, '.')}\n${escaped(oneLine(title))}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

const oneLine = (title: string): string => title.replace(/\s+/gu, ' ').trim();

/** `1:02:03`; whole seconds, not later than the chapter. */
function position(seconds: number, hasHours: boolean): string {
  const whole = Math.floor(seconds + 1e-6);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${hasHours ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`;
}

const fewest = 3;
const shortestSeconds = 10;

/** Why YouTube would make no chapters of the list, one line; undefined if it does. */
export function youtubeProblem(chapters: readonly TimedChapter[]): string | undefined {
  if (chapters.length < fewest) return `YouTube shows chapters only where there are at least ${fewest}`;
  const short = chapters.find(({ start, end }) => end - start < shortestSeconds);
  return (
    short &&
    `YouTube shows no chapters where one is shorter than ${shortestSeconds} s, as ${JSON.stringify(short.title)} is`
  );
}
