/** Advanced SubStation Alpha and its ancestor SSA: the lines of their dialogue, without comments and drawings. */
import { shorten, show } from '../messages.ts';
import { assertWithin, type CaptionMeans, linesInTurn } from './parse-captions.ts';
import { plainText } from './plain-text.ts';
import type { Spoken, TimedFile } from './timed-lines.ts';

const defaultFields = 'layer,start,end,style,name,marginl,marginr,marginv,effect,text'.split(',');
const clock = /^\s*(-?)(\d{1,4}):(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?\s*$/;
/** Braces, in which players look for overrides alone; what is in front of them is a comment. */
const comment = /(?<!\\)\{([^{}\\]{0,5000})(\\[^{}]{0,5000})?\}/g;
/** Numbers of data that Aegisub keeps. */
const extraData = /^=[\d=]{0,99}$/;

/** Signs that move with the picture are a line for each frame or two, in seconds. */
const longestFrame = 0.25;
/** Frames that follow each other, in seconds. */
const near = 0.02;

/** A line of the section of events. */
interface AssEvent {
  readonly number: number;
  readonly isComment: boolean;
  /** In lower case. */
  readonly effect: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly voice: string | undefined;
  readonly text: string;
}

/** @throws SvcError INVALID_REQUEST beyond a limit */
export async function readAss(text: string, means: CaptionMeans, comments: Spoken = 'silent'): Promise<TimedFile> {
  const file: TimedFile = { captions: [], problems: [], readings: [], comments: [] };
  const events = await eventsOf(text, means);
  // Karaoke that was made from templates has its syllables as lines of their own, and the words as comments.
  const isSung = ({ isComment, effect }: AssEvent): boolean => isComment && effect === 'karaoke';
  const hasSongs = events.some(isSung);
  const seen = new Set<string>();
  /** Places of the last captions by their words. */
  const last = new Map<string, number>();
  for (const event of events) {
    await means.pace();
    const { number, start, end, voice } = event;
    if (hasSongs && event.effect === 'fx') continue;
    if (event.isComment && !isSung(event) && comments === 'silent') {
      const words = plainText(event.text.replace(comment, ' $1 {$2} ')).replace(/\s+/g, ' ').trim();
      if (words !== '') file.comments.push(words);
      continue;
    }
    const written = event.text.replace(comment, (_, given: string, override = '') => {
      const words = given.trim();
      // A star in front of overrides is a mark of Aegisub's.
      const isComment = !extraData.test(words) && /[\p{L}\p{N}]/u.test(words);
      if (isComment && comments === 'silent') file.comments.push(words);
      return `${isComment && comments === 'spoken' ? ` ${words} ` : ''}{${override}}`;
    });
    const shown = plainText(written.replaceAll('{}', '').replaceAll('\\n', '\n'));
    const named = `the caption ${number}, ${show(shorten(shown.replace(/\s+/g, ' ').trim()))},`;
    if (shown.trim() === '') continue;
    if (start === undefined || end === undefined) file.problems.push(`${named} has times that cannot be read`);
    else if (end < start) file.problems.push(`${named} ends before it begins`);
    else {
      // Shadows and outlines are the same words in another layer.
      const key = `${start} ${end} ${shown}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const place = last.get(shown) ?? -1;
      const before = file.captions[place];
      if (before !== undefined && Math.abs(start - before.end) <= near && end - start <= longestFrame) {
        file.captions[place] = { ...before, end };
        continue;
      }
      last.set(shown, file.captions.length);
      const lines = shown.split('\n').map((own) => ({ text: own, ...(voice === undefined ? {} : { voice }) }));
      file.captions.push({ number, start, end, lines });
    }
  }
  return file;
}

async function eventsOf(text: string, { limits, pace }: CaptionMeans): Promise<readonly AssEvent[]> {
  const events: AssEvent[] = [];
  let section = '';
  let fields: readonly string[] = defaultFields;
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (index % linesInTurn === linesInTurn - 1) await pace();
    const [, head] = /^\s{0,99}\[([^\]]{1,99})\]/.exec(line) ?? [];
    if (head !== undefined && !line.includes('Dialogue:')) section = head.toLowerCase();
    if (section !== 'events') continue;
    if (/^\s{0,99}Format\s{0,9}:/i.test(line)) {
      fields = line
        .slice(line.indexOf(':') + 1)
        .split(',')
        .map((field) => field.trim().toLowerCase());
      continue;
    }
    const [, kind = ''] = /^\s{0,99}(Dialogue|Comment)\s{0,9}:/i.exec(line) ?? [];
    if (kind === '') continue;
    const number = events.length + 1;
    assertWithin(limits, number, 1, line.length);
    const values = valuesOf(line.slice(line.indexOf(':') + 1), fields.length);
    const value = (name: string): string => values[fields.indexOf(name)] ?? '';
    events.push({
      number,
      isComment: kind.toLowerCase() === 'comment',
      effect: value('effect').trim().toLowerCase(),
      start: secondsOf(value('start')),
      end: secondsOf(value('end')),
      voice: (value('name') || value('actor')).trim() || undefined,
      // A line with too few fields has words, but no times.
      text: values.length < fields.length ? (values.at(-1) ?? '') : value('text'),
    });
  }
  return events;
}

/** The last field may have commas. */
function valuesOf(line: string, count: number): readonly string[] {
  const values: string[] = [];
  let from = 0;
  while (values.length < count - 1) {
    const end = line.indexOf(',', from);
    if (end === -1) break;
    values.push(line.slice(from, end));
    from = end + 1;
  }
  return [...values, line.slice(from)];
}

function secondsOf(written: string): number | undefined {
  const [, sign, hours, minutes, seconds, fraction = ''] = clock.exec(written) ?? [];
  if (hours === undefined) return undefined;
  // Captions that were moved too far begin before the video.
  const whole = Number(`${sign}${hours}`) * 3600;
  return Math.max(0, whole + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction || 0}`));
}
