/** Verbs that say who speaks, in the languages whose novels use quotation marks. */

const spaced =
  `said|says|say|asked|asks|replied|replies|answered|cried|cries|shouted|whispered|murmured|muttered|exclaimed|added|
  remarked|continued|repeated|called|began|returned|observed|thought|went on|growled|sighed|laughed|screamed|demanded|begged|
  inquired|enquired|suggested|agreed|declared|insisted|interrupted|announced|explained|protested|
  sagte|sagt|fragte|fragt|antwortete|erwiderte|rief|flüsterte|murmelte|meinte|schrie|entgegnete|versetzte|sprach|
  dit|demanda|répondit|répliqua|cria|murmura|ajouta|reprit|s'écria|s’écria|fit|
  dijo|preguntó|respondió|contestó|gritó|exclamó|murmuró|añadió|repuso|
  disse|chiese|rispose|esclamò|gridò|mormorò|aggiunse|
  perguntou|respondeu|exclamou|gritou|murmurou|
  zei|vroeg|antwoordde|riep|fluisterde|
  сказал|сказала|спросил|спросила|ответил|ответила|крикнул|крикнула|прошептал|прошептала|воскликнул|воскликнула`
    .split('|')
    .map((verb) => verb.trim())
    .join('|');

const unspaced = '说道|說道|问道|問道|答道|喊道|叫道|笑道|说|說|道|问|問|答|喊|叫|言った|聞いた|答えた|叫んだ';

/** A verb anywhere in a few words. */
export const speechVerbs = new RegExp(`(?<![\\p{L}\\p{M}-])(?:${spaced})(?![\\p{L}\\p{M}])|${unspaced}`, 'iu');

const title = String.raw`(?:(?:Mr|Mrs|Ms|Dr|St|Prof)\.?|Miss|Sir|Lady|Lord|Herr|Frau|Madame|Monsieur|Don|Doña|Señor|Señora|Signor|Signora)\s`;
const article = String.raw`(?:(?:the|der|die|das|le|la|el|il|lo|o|a|de|het)\s)?`;
const name = String.raw`(?:${title})?\p{Lu}[\p{L}\p{M}'’-]{0,30}(?:\s\p{Lu}[\p{L}\p{M}'’-]{0,30}){0,2}`;
const han = String.raw`\p{Script=Han}{2,4}?`;
const adverb = String.raw`(?:\s\p{Ll}{1,15}){0,2}?`;

const behind = [
  new RegExp(String.raw`^[\s,.–—-]{0,4}(?:${spaced})\s${article}(${name})`, 'u'),
  new RegExp(String.raw`^[\s,.–—-]{0,4}${article}(${name})${adverb}\s(?:${spaced})(?![\p{L}\p{M}])`, 'u'),
  new RegExp(String.raw`^[，。]?(${han})\p{Script=Han}{0,4}?(?:${unspaced})`, 'u'),
];
const before = [
  new RegExp(String.raw`(?<![\p{L}\p{M}])(${name})${adverb}\s(?:${spaced})[^.!?“”"«»]{0,30}[,:]\s{0,2}$`, 'u'),
  new RegExp(String.raw`(?<![\p{L}\p{M}])(?:${spaced})\s${article}(${name})[,:]\s{0,2}$`, 'u'),
  new RegExp(String.raw`(?:^|[，。！？；、\s”」])(${han})\p{Script=Han}{0,4}?(?:${unspaced})[：:，]?\s?$`, 'u'),
];

/** With other words that begin sentences. */
const pronouns = new Set(
  `i he she it we they you who that this then and but so as one er sie es ich wir ihr man il elle ils elles je nous vous on él ella
  yo ellos ellas lui lei io egli noi ele ela eu nós hij zij ik wij он она я мы они вы the a der die das 他 她 我 你 他们 她们 我们 你们 他又 她又`.split(
    /\s+/,
  ),
);

/** Whom the words behind or before a quotation name as its speaker. */
export function speakerNamed(wordsBefore: string, wordsBehind: string): string | undefined {
  return firstName(behind, wordsBehind) ?? firstName(before, wordsBefore);
}

function firstName(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const [, found] = pattern.exec(text) ?? [];
    const words = found?.split(' ') ?? [];
    // A sentence may begin in front of the name: `Then Alice said`.
    const first = words.findIndex((word) => !pronouns.has(word.toLowerCase()));
    if (first !== -1)
      return words
        .slice(first)
        .join(' ')
        .replace(/['’]s?$/u, '');
  }
  return undefined;
}
