/** Advanced SubStation Alpha and its ancestor SSA: the lines of their dialogue, without comments and drawings. */
import { shorten, show } from '../messages.ts';
import { requestError } from '../validation.ts';
import type { CaptionMeans } from './parse-captions.ts';
import { plainText } from './plain-text.ts';
import type { TimedFile } from './timed-lines.ts';

const defaultFields = 'layer,start,end,style,name,marginl,marginr,marginv,effect,text'.split(',');
const clock = /^\s*(-?)(\d{1,4}):(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?\s*$/;
/** Braces without an override, which players hide. */
const comment = /\{([^{}\\]{0,5000})\}/g;
/** Lines between two looks at the clock. */
const linesInTurn = 64;

/** @throws SvcError INVALID_REQUEST beyond a limit */
export async function readAss(
  text: string,
  { limits, pace }: CaptionMeans,
  comments: 'silent' | 'spoken' = 'silent',
): Promise<TimedFile> {
  const file: TimedFile = { captions: [], problems: [], readings: [], comments: [] };
  const withoutComments = (written: string): string =>
    written.replace(comment, (_, words: string) => {
      if (comments === 'spoken') return ` ${words} `;
      if (words.trim() !== '') file.comments.push(words.trim());
      return '';
    });
  let section = '';
  let fields: readonly string[] = defaultFields;
  let number = 0;
  const seen = new Set<string>();
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
    const isComment = kind.toLowerCase() === 'comment';
    number += 1;
    if (number > limits.captions) throw requestError(`there are more captions than the limit of ${limits.captions}`);
    if (line.length > limits.captionCharacters)
      throw requestError(`the caption ${number} has more than ${limits.captionCharacters} characters`);
    const values = valuesOf(line.slice(line.indexOf(':') + 1), fields.length);
    const value = (name: string): string => values[fields.indexOf(name)] ?? '';
    const [start, end] = [secondsOf(value('start')), secondsOf(value('end'))];
    if (isComment && comments === 'silent') {
      const words = plainText(value('text').replace(comment, ' $1 ')).replace(/\s+/g, ' ').trim();
      if (words !== '') file.comments.push(words);
      continue;
    }
    const shown = plainText(withoutComments(value('text')).replaceAll('\\n', '\n'));
    const named = `the caption ${number}, ${show(shorten(shown.replace(/\s+/g, ' ').trim()))},`;
    if (shown.trim() === '') continue;
    if (start === undefined || end === undefined) file.problems.push(`${named} has times that cannot be read`);
    else if (end < start) file.problems.push(`${named} ends before it begins`);
    else {
      // Shadows and outlines are the same words in another layer.
      const key = `${start} ${end} ${shown}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const voice = (value('name') || value('actor')).trim() || undefined;
      const lines = shown.split('\n').map((own) => ({ text: own, ...(voice === undefined ? {} : { voice }) }));
      file.captions.push({ number, start, end, lines });
    }
  }
  return file;
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
