/** The dash of `8월20일~25일` and `7月〜8月`, behind what is counted. */
import type { SemioticClass } from '../language.ts';
import { cursorAt, foundAt, take } from '../place.ts';

const dash = / ?[-–—~～〜] ?(?=\d|오[전후]|午[前後]|[月火水木金土日](?:曜|(?!\p{L})))/uy;
const counted = /[년월일시분초명개원층권장세살위회번年月日時分秒人個円階歳位回番週火水木金土曜]$/u;

export const eastAsianRanges: SemioticClass = {
  name: 'range behind a counter',
  begins: ['sign'],
  signs: '-–—~～〜',
  find(place) {
    const cursor = cursorAt(place);
    if (!counted.test(place.before) || take(cursor, dash) === undefined) return undefined;
    const to = place.language.say.operator({ kind: 'operator', sign: 'to' }, place, cursor.at)?.trim() ?? '';
    return foundAt(cursor, { kind: 'words', spoken: /\p{sc=Hangul}$/u.test(to) ? `${to} ` : to });
  },
};
