/** The dash of `8월20일~25일` and `7月〜8月`, behind what is counted. */
import { patternClass } from '../place.ts';

const dash = / ?[-–—~～〜] ?(?=\d|오[전후]|午[前後]|[月火水木金土日](?:曜|(?!\p{L})))/uy;
const counted = /[년월일시분초명개원층권장세살위회번年月日時分秒人個円階歳位回番週火水木金土曜]$/u;

export const eastAsianRanges = patternClass(
  { begins: ['sign'], signs: '-–—~～〜', behind: counted, isGlued: true },
  dash,
  (_, place, { at }) => {
    const to = place.language.say.operator({ kind: 'operator', sign: 'to' }, place, at)?.trim() ?? '';
    return /\p{sc=Hangul}$/u.test(to) ? `${to} ` : to;
  },
);
