/** The dash of `8月20일~25일` and `7月〜8月`, behind what is counted, and the weekday behind a date. */
import { isBehind, patternClass } from '../place.ts';

const dash = / ?(?:[-–—~～] ?(?=\d|오[전후]|午[前後]|[月火水木金土日](?:曜|(?!\p{L})))|[〜～](?=[\d\p{sc=Han}]))/uy;
const counted =
  /(?:[년월일시분초명개원층권장세살위회번年月日時分秒人個円階歳位回番週火水木金土曜旬代頃末]|일\([월화수목금토일]\)|日[(（][月火水木金土日][)）])$/u;
/** The wave dash stands behind any of these. */
const numbered = new RegExp(String.raw`${counted.source}|\d\p{sc=Han}{0,6}$`, 'u');

export const eastAsianRanges = patternClass(
  { begins: 'sign', signs: '-–—~～〜', behind: numbered, isGlued: true },
  dash,
  ([dash], place, { at }) => {
    if (!/[〜～]/.test(dash) && !isBehind(place, counted)) return undefined;
    const to = place.language.say.operator({ kind: 'operator', sign: 'to' }, place, at)?.trim() ?? '';
    return /\p{sc=Hangul}$/u.test(to) ? `${to} ` : to;
  },
);

/** `2月4日(土)`, `5월10일(금)` */
export const eastAsianDays = patternClass(
  { begins: 'sign', signs: '(（', behind: /[일日]$/u, isGlued: true },
  /[(（](?:([月火水木金土日])|([월화수목금토일]))[)）]/uy,
  ([, day, weekday]) => (day === undefined ? ` ${weekday}요일` : `${day}曜日`),
);
