/** SubRip as players read it: a caption lasts from its times to the next times, whatever is between them. */
import { shorten, show } from '../messages.ts';
import { assertWithin, type CaptionMeans, linesInTurn } from './parse-captions.ts';
import { plainText } from './plain-text.ts';
import type { Spoken, TimedFile } from './timed-lines.ts';

const clock = String.raw`(-?)(?:(\d{1,4})[:;])?(\d{1,3})[:;](\d{1,2}|0\d\d(?=[.,]))(?:[.,:;](\d{1,3}))?\d{0,6}`;
const arrow = '(?:(?:-{1,3}|[–—])(?:>|&gt;)|[→⟶➔])';
/** Times, and what looks like them; coordinates may follow. */
const timeLine = new RegExp(String.raw`^\s{0,99}${clock}\s{0,9}${arrow}\s{0,9}${clock}(?:\s+(\S.*)?|$)`, 's');
/** Seconds alone, as in `1.0 --> 2.5`, which are text behind words. */
const seconds = String.raw`()()()(\d{1,6})[.,](\d{1,3})`;
const secondsLine = new RegExp(String.raw`^\s{0,99}${seconds}\s{0,9}${arrow}\s{0,9}${seconds}\s{0,99}()$`);
/** The first of two lines that times are broken into. */
const brokenTimes = new RegExp(String.raw`^\s{0,99}\d{1,4}:\d{1,2}:\d{1,2}[.,]\d{1,3}\s{0,9}(${arrow})?\s{0,99}$`);
/** Times to the millisecond alone in their line, with another sign between them. */
const exact = String.raw`()(\d{1,4}):(\d{1,2}):(\d{1,2})[.,](\d{1,3})`;
const otherTimes = new RegExp(String.raw`^\s{0,99}${exact}[ \t]{0,9}[-–—,=~|][ \t]{0,9}${exact}\s{0,99}()$`);
const wrongTimes = /^\s{0,99}-?\d{1,4}:\d{1,3}[\d:.,]{0,20}\s{0,9}(?:-{2,3}|[–—])(?:>|&gt;)\s{0,9}(.{0,200})$/s;
/** Signs of Chinese keyboards. */
const fullWidth = /[０-９：，．＞]/u;
/** Where a caption is shown, as in `X1:100` or `align:start`. */
const settings = /(?<!\S)[A-Za-z]{1,20}\d?:\S{1,99}(?!\S)/g;
/** Characters of a line that may be times of full width. */
const longestTimes = 200;
const counter = /^\s{0,99}\d{1,9}\s{0,99}$/;

/** Captions that were moved too far begin before the video. */
const secondsOf = (sign = '', hours = '0', minutes = '0', seconds = '0', fraction = ''): number =>
  sign !== ''
    ? 0
    : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction.padEnd(3, '0')) / 1000;

/** @throws SvcError INVALID_REQUEST beyond a limit */
export async function readSubRip(text: string, means: CaptionMeans, readings: Spoken = 'silent'): Promise<TimedFile> {
  const { limits, pace } = means;
  const file: TimedFile = { captions: [], problems: [], readings: [], comments: [] };
  const leaveReading = (reading: string): string => {
    if (readings === 'spoken') return ` ${reading}`;
    file.readings.push(reading);
    return '';
  };
  const written = text.split(/\r\n|\n|\r/);
  let open: { readonly start: number; readonly end: number; readonly problem?: string; lines: string[] } | undefined;
  let number = 0;
  /** Whether captions have numbers in front of them. */
  let isNumbered: boolean | undefined;
  const finish = (isLast: boolean): void => {
    if (open === undefined) return;
    const lines = isNumbered === true ? withoutCounter(open.lines, number + 1, isLast) : open.lines;
    const filled = lines.reduce((count, line) => count + (line.trim() === '' ? 0 : 1), 0);
    const characters = lines.reduce((sum, line) => sum + line.length, 0);
    assertWithin(limits, number, filled, characters);
    const shown = plainText(lines.join('\n'), leaveReading);
    const named = `the caption ${number}, ${show(shorten(shown.replace(/\s+/g, ' ').trim()))}`;
    if (shown.trim() !== '') {
      if (open.problem !== undefined) file.problems.push(`${named}, ${open.problem}`);
      else if (open.end < open.start) file.problems.push(`${named}, ends before it begins`);
      else
        file.captions.push({
          number,
          start: open.start,
          end: open.end,
          lines: shown.split('\n').map((line) => ({ text: line })),
        });
    }
    open = undefined;
  };
  let before: string[] = [];
  for (let index = 0; index < written.length; index += 1) {
    const line = written[index] as string;
    if (index % linesInTurn === linesInTurn - 1) await pace();
    const ascii = line.length <= longestTimes && fullWidth.test(line) ? line.normalize('NFKC') : line;
    const isApart = ((open?.lines ?? before).at(-1) ?? '').replace(counter, '').trim() === '';
    const broken = brokenTimes.test(ascii) ? timeLine.exec(`${ascii} ${written[index + 1]}`) : null;
    const times =
      broken ?? timeLine.exec(ascii) ?? otherTimes.exec(ascii) ?? (isApart ? secondsLine.exec(ascii) : null);
    if (broken !== null) index += 1;
    const [, wrong] = times === null ? (wrongTimes.exec(ascii) ?? []) : [];
    if (times === null && wrong === undefined) {
      (open?.lines ?? before).push(line);
      continue;
    }
    isNumbered ??= counter.test(before.findLast((own) => own.trim() !== '') ?? '');
    finish(false);
    before = [];
    number += 1;
    assertWithin(limits, number);
    open =
      times === null
        ? {
            start: 0,
            end: 0,
            problem: `has on line ${index + 1} an end that is no time, ${show(shorten((wrong ?? '').trim(), 20))}`,
            lines: [],
          }
        : {
            start: secondsOf(...times.slice(1, 6)),
            end: secondsOf(...times.slice(6, 11)),
            // Some write the words behind the times.
            lines: [(times[11] ?? '').replace(settings, '').trim()].filter((words) => words !== ''),
          };
  }
  finish(true);
  return file;
}

/** The number of the next caption is above its times; a number behind an empty line may be text. */
function withoutCounter(lines: string[], next: number, isLast: boolean): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  if (last === -1 || !counter.test(lines[last] ?? '')) return lines;
  // The number behind the last caption is that of one which was cut off.
  const isAbove = !isLast && last === lines.length - 1;
  if (isLast && lines[last - 1]?.trim() !== '') return lines;
  if (!isAbove && Number(lines[last]) !== next) return lines;
  const rest = lines.slice(0, last);
  // Above it may be the number of a caption without times.
  const isLost =
    last > 1 && counter.test(rest.at(-1) ?? '') && Number(rest.at(-1)) === next && rest.at(-2)?.trim() === '';
  return isLost ? rest.slice(0, -1) : rest;
}
