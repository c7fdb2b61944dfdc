/** Conventions of Aozora Bunko's plain texts: readings, headings, layout, and what is about the file. */
import { withoutAozora } from '../../engine/text/clean.ts';

/** Letters whose reading follows them; with a bar in front, any words. */
const reading =
  /｜([^｜《》\n]{1,60})《([^《》\n]{1,60})》|([\p{sc=Han}々〆ヶ仝〇]{1,20})《([\p{sc=Hiragana}\p{sc=Katakana}ー・]{1,60})》/gu;
/** A letter that the character set lacks has its description in an annotation. */
const missing = /※［＃([^［］\n]{1,200})］/gu;
const annotation = /［＃[^［］\n]{1,200}］/gu;
const headingBehind = /［＃「[^「」\n]{1,100}」は(?:同行|窓)?([大中小])見出し］/u;
const headingAround = /［＃(?:ここから)?(?:同行|窓)?([大中小])見出し］/u;
const levels: Readonly<Record<string, number>> = { 大: 1, 中: 2, 小: 3 };

export const isAozora = (text: string): boolean => /［＃[^［］\n]{1,200}］/u.test(text) || text.search(reading) !== -1;

/** The numbers of lines about the file: the legend of signs below the title, and the imprint at the end. */
export function aboutFile(lines: readonly string[]): {
  readonly legend: readonly [number, number];
  readonly to: number;
} {
  const legend: [number, number] = [0, 0];
  const rules = lines.slice(0, 200).flatMap((line, index) => (/^[-－]{20,200}\s*$/u.test(line) ? [index] : []));
  const [first = 0, second = 0] = rules;
  if (second > first && lines.slice(first, second).some((line) => line.includes('記号について'))) {
    legend[0] = first;
    legend[1] = second + 1;
  }
  const imprint = lines.findLastIndex((line) => /^底本：/u.test(line));
  return { legend, to: imprint === -1 ? lines.length : imprint };
}

/** The level of a line that is a heading by its annotation. */
export function headingOf(line: string): number | undefined {
  const [, size = ''] = headingBehind.exec(line) ?? headingAround.exec(line) ?? [];
  return levels[size];
}

/** Words alone. */
export const withoutAnnotations = (line: string): string => withoutAozora(line).replace(/※/gu, '').trim();

/** @param html escaped text, whose readings become `rt` */
export const readingsAsRuby = (html: string): string =>
  html
    .replace(reading, '<ruby>$1$3<rt>$2$4</rt></ruby>')
    .replace(missing, '<span data-left-out="pictures">$1</span>')
    .replace(annotation, '');
