/** Hindi. */
import { tableOf } from '../../table.ts';
import { inContext, patternClass } from '../place.ts';
import type { LanguageSettings } from './settings.ts';

const teens = tableOf('एक=ग्यारह|दो=बारह|तीन=तेरह|चार=चौदह|पाँच=पंद्रह|छह=सोलह|सात=सत्रह|आठ=अठारह|नौ=उन्नीस');

/** `मुंबई, महाराष्ट्र 839488` */
const pinCodes = patternClass(
  { begins: 'digit', behind: /, [\p{sc=Deva} ]{3,30} -? ?$/u },
  /[1-9]\d{5}(?=\s*(?:$|[,.।;]))/uy,
  ([code]) => ({ kind: 'digits', groups: [code] }),
);

/** The first ordinals without their endings. */
const ordinalStems: readonly (string | undefined)[] = [undefined, 'पहल', 'दूसर', 'तीसर', 'चौथ', undefined, 'छठ'];

export const rules: LanguageSettings = {
  words: `
    by: बाई; times: गुना; dashesDates: yes; operators: > से बड़ा, < से छोटा, ÷ भागा, √ वर्गमूल;
    ordinalForm: cardinal; address: डॉट, एट, स्लैश, हाइफ़न, अंडरस्कोर; half: आधा; parts: 3=तिहाई|तिहाई, 4=चौथाई|चौथाई; to: से;
    clock: {0} बजकर {1} मिनट; hour: {0} बजे; over: बटा; plus: जमा; power: की घात {0}; equals: बराबर; home: INR last; units: A=, ac=acre, in=inch, t=ton;
    hundredths: INR=पैसा|पैसे, USD=सेंट, EUR=सेंट; telephoneWords: फ़ोन|फोन|मोबाइल;
  `,
  abbreviations: {
    open: 'डॉ.=डॉक्टर|प्रो.=प्रोफेसर|इं.=इंजीनियर|ले.=लेफ्टिनेंट|वै.=वैज्ञानिक|कु.=कुमारी|मा.=मास्टर|श्री.=श्री',
    closing: 'ई. पू.=ईसा पूर्व|ई.=ईस्वी',
  },
  // Hundreds of a year are counted: "nineteen hundred ninety".
  yearForm: inContext(
    ['cardinal', /(?:सन्?|साल|वर्ष) $/u],
    ['cardinal', undefined, / (?:में|का|की|के|से|तक)(?![\p{L}\p{M}])/uy],
  ),
  sayYear: (said) => said.replace(/^एक हज़ार (\S+) सौ/u, (_, hundreds) => `${teens[hundreds] ?? ''} सौ`),
  names: [pinCodes],
  ordinals: /-?(?:वां|वाँ|वीं|वें|ला|ली|ले|रा|री|रे|था|थी|थे|ठा|ठी|ठे|st|nd|rd|th)(?![\p{L}\p{M}])/uy,
  ordinalWord: (said, mark, { text, start }) => {
    const stem = ordinalStems[Number(/^\d{1,3}/.exec(text.slice(start, start + 3))?.[0] ?? 0)];
    const [ending = 'ा'] = /[ाीे]$/u.exec(mark) ?? [];
    return stem === undefined ? said + (/[a-z]/.test(mark) ? 'वां' : mark.replace('-', '')) : stem + ending;
  },
  mixed: (whole, part) =>
    part === 'आधा' ? ({ एक: 'डेढ़', दो: 'ढाई' }[whole] ?? `साढ़े ${whole}`) : `${whole} सही ${part}`,
  clockWord: /[ \u00a0]?(?:बजे)/uy,
};
