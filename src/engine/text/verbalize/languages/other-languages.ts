/**
 * The other languages of VoxCPM 2: numbers and units from CLDR, months and currencies from `Intl`, and what neither has from
 * the table here.
 */
import { addresses } from '../classes/addresses.ts';
import { namedDates, numericDates, years } from '../classes/dates.ts';
import { hyphens, identifiers, versions } from '../classes/identifiers.ts';
import { operators } from '../classes/maths.ts';
import { unitOf } from '../classes/measures.ts';
import { cardinals, fractionRanges, fractions, ordinalsWith, ratios } from '../classes/numbers.ts';
import { quantities } from '../classes/quantities.ts';
import { romansWith } from '../classes/romans.ts';
import { telephones } from '../classes/telephones.ts';
import { times } from '../classes/times.ts';
import { unitNames } from '../cldr-units.ts';
import type { Found, Language, Place, SemioticClass } from '../language.ts';
import { numberOf } from '../numerals.ts';
import { cursorAt, foundAt, isBehind, isNext, take } from '../place.ts';
import type { Amount, Clock, CompoundUnit, Meaning, Numeral, Sign } from '../semiotic.ts';
import { hasForm, minusOf, pluralCategory, pointOf, spellOut } from '../spell-out.ts';
import { abbreviationsOf, germanStreets } from './abbreviations.ts';
import {
  caseOf,
  finnishForm,
  finnishSuffixes,
  polishHour,
  polishOrdinal,
  polishYear,
  russianDay,
  russianYear,
  russianYearWords,
} from './cases.ts';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import { localNames } from './local-names.ts';
import { centuryForm, frenchCenturies, germanRomans, inCaseOfRuler, rulerForm, rulers } from './roman-ordinals.ts';

type Gender = 'masculine' | 'feminine' | 'neuter';

/** What CLDR and `Intl` lack. */
interface Settings {
  /** Between the ends of a range. */
  readonly to: string;
  /** The language's form of the day in dates, by CLDR; cardinal without. */
  readonly dayForm?: string | ((place: Place) => string);
  /** The first day of the month alone is an ordinal. */
  readonly firstDay?: string;
  readonly yearForm?: string | ((place: Place, end: number) => string | undefined);
  /** Of a year in a date. */
  readonly dateYearForm?: string;
  readonly point?: string;
  readonly minus?: string;
  /** Between units of money and hundredths. */
  readonly cents?: string;
  /** A time of day with minutes; hours alone are counted. */
  readonly clock?: (hour: string, minute: string) => string;
  readonly hourForm?: string | ((place: Place) => string);
  readonly hour?: (hour: string) => string;
  /** Behind a time as written, which the spoken time has already. */
  readonly clockWord?: RegExp;
  readonly date?: (day: string, month: string, year: string | undefined) => string;
  readonly over?: string;
  readonly by?: string;
  readonly times?: string;
  readonly plus?: string;
  readonly equals?: string;
  readonly dateOrder?: 'mdy' | 'ymd';
  /** Marks of ordinals behind their digits, and the form that they mark. */
  readonly ordinals?: RegExp;
  readonly ordinalForm?: (mark: string, place: Place) => string;
  readonly ordinalWord?: (said: string, mark: string, place: Place, end: number) => string;
  /** Between the numbers of a score, if not as of a range; nothing, when they are said one after the other. */
  readonly score?: string;
  /** One half before a unit, by the unit's gender. */
  readonly halves?: Readonly<Partial<Record<Gender | 'any', string>>>;
  /** The gender of a noun behind one half. */
  readonly halfNoun?: (text: string, end: number) => Gender | undefined;
  /** Thirds and quarters. */
  readonly parts?: Readonly<Record<string, readonly [one: string, many: string]>>;
  /** Between a part and its unit, and between a whole number and a part. */
  readonly partOf?: string;
  readonly and?: string;
  /** The form of any number from 1100 to 1999 without separators, which is counted in hundreds like a year. */
  readonly countedYears?: string;
  /** The numeral of a king; without, cardinal. */
  readonly ruler?: (ordinal: string, cardinal: string, value: number) => string;
  /** Ids of CLDR by symbols. */
  readonly units?: Readonly<Record<string, string>>;
  readonly magnitudes?: Readonly<Record<string, string>>;
  /** What `.`, `@` and `/` are called in addresses. */
  readonly address?: readonly [dot: string, at: string, slash: string];
  readonly moneyGender?: string;
  readonly half?: string;
  readonly decimal?: (whole: string, fraction: string) => string | undefined;
  /** The form of a number before some nouns. */
  readonly counted?: (text: string, end: number, number: number) => string | undefined;
  readonly countedRomans?: string;
  readonly currencies?: Readonly<Record<string, string>>;
}

const article =
  /(?<!\p{L})(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|ins|einem|jeder|jedes|jede|ihr|ihre|ihren|sein|seine|seinen|det|dette|denne|sin|sitt)\s$/iu;
/** Where the number of an item stands. */
const itemStart = /(?:^|\n)[ \t]{0,8}$/;
const latin = String.raw`\p{sc=Latn}`;
const germanDay = ({ before }: Place): string =>
  /(?<!\p{L})(?:in|an|auf|bei|von|zu|mit|nach|seit|aus|vor|während|ab)\sder\s$/iu.test(before)
    ? 'ordinal-n'
    : /(?<!\p{L})(?:am|dem|den|vom|zum|beim|bis|seit|ab|des|im|einem|einer|jeden|nächsten|letzten|diesem|der|ihrem|seinem|unserem|ihren|seinen)\s$/iu.test(
          before,
        )
      ? /(?<!\p{L})der\s$/iu.test(before)
        ? 'ordinal'
        : 'ordinal-n'
      : /(?<!\p{L})(?:die|das)\s$/iu.test(before)
        ? 'ordinal'
        : 'ordinal-r';
const germanFeminine =
  /\s\p{Lu}\p{L}*(?:ung|heit|keit|schaft|ion|tät|ette|inute|unde|oche|eite|asse|asche|dose|rage|ackung|tufe|telle|acht|cheibe|rise|ahl)(?!\p{L})/uy;
const dutchMarks = new RegExp(String.raw`(?:ste|de|e)(?![${latin}\d])`, 'uy');
/** `3.` before a noun, behind an article. */
const ordinalPoint = /\.(?=[ \u00a0]\p{L})/uy;

/** `3. kerros` */
const pointBeforeNoun = /\.(?=[ \u00a0]\p{Ll})/uy;

const germanOrdinalNoun =
  /\.[ \u00a0](?:Weltkriege?s?|Stock|Etage|Platz|Liga|Bundesliga|Klasse|Quartal|Halbzeit|Runde|Geburtstag\p{L}*|Jahrhunderts?|Minute|Auflage|Mal|Mannschaft|Reihe|Spieltag|Advent|Oktober|Mai)(?!\p{L})/uy;
/** Nouns that are counted with ordinals also where the number of an item could stand. */
const nounOfOrdinal =
  /\.[ \u00a0](?:verdenskrig|etasje|etage|sal|klasse|divisjon|division|plass|plads|juledag|påskedag|kvartal|semester|gang|omgang|runde|halvleg|halvår|århundre\p{L}*|yüzyıl\p{L}*|kat(?!\p{L})|sınıf\p{L}*|dünya|piętro|miejsce|wojna|rocznica|wiek|kerros|luokka|maailmansota|vuosi\p{L}*|luku)/uy;

const settings: Readonly<Record<string, Settings>> = {
  ar: {
    score: 'مقابل',
    hourForm: 'ordinal-feminine',
    hour: (h) => h,
    units: {
      كم: 'kilometer',
      كجم: 'kilogram',
      كغ: 'kilogram',
      كلغ: 'kilogram',
      غ: 'gram',
      جم: 'gram',
      سم: 'centimeter',
      مل: 'milliliter',
    },
    address: ['نقطة', 'آت', 'شرطة مائلة'],
    half: 'نصف',
    to: 'إلى',
    cents: 'و',
    clock: (h, m) => `${h} و${m} دقيقة`,
    over: 'على',
    plus: 'زائد',
    equals: 'يساوي',
    point: 'فاصلة',
  },
  my: { to: 'မှ', clock: (h, m) => `${h}နာရီ${m}မိနစ်` },
  da: {
    parts: { 3: ['tredjedel', 'tredjedele'], 4: ['fjerdedel', 'fjerdedele'] },
    countedYears: 'numbering-year',
    ruler: (ordinal) => `den ${ordinal}`,
    address: ['punktum', 'snabel-a', 'skråstreg'],
    half: 'en halv',
    moneyGender: 'common',
    to: 'til',
    dayForm: 'ordinal-common',
    yearForm: 'numbering-year',
    cents: 'og',
    plus: 'plus',
    equals: 'er lig med',
    times: 'gange',
    by: 'gange',
    over: 'over',
    ordinals: pointBeforeNoun,
    ordinalForm: () => 'ordinal-common',
    magnitudes: {
      mio: 'millioner',
      mia: 'milliarder',
      million: 'million',
      millioner: 'millioner',
      milliarder: 'milliarder',
      t: '',
    },
  },
  nl: {
    halves: { any: 'een halve' },
    parts: { 3: ['derde', 'derde'], 4: ['kwart', 'kwart'] },
    countedYears: 'numbering-year',
    ruler: (ordinal) => `de ${ordinal}`,
    address: ['punt', 'apenstaartje', 'slash'],
    half: 'een half',
    to: 'tot',
    yearForm: 'numbering-year',
    clock: (h, m) => `${h} uur ${m}`,
    hour: (h) => `${h} uur`,
    clockWord: /[ \u00a0]?(?:uur|u)(?!\p{L})/uy,
    plus: 'plus',
    equals: 'is',
    times: 'keer',
    by: 'bij',
    over: 'gedeeld door',
    ordinals: dutchMarks,
    ordinalForm: () => 'ordinal',
    magnitudes: { mln: 'miljoen', mld: 'miljard', miljoen: 'miljoen', miljard: 'miljard' },
  },
  fi: {
    ordinals: pointBeforeNoun,
    ordinalForm: () => 'ordinal',
    counted: finnishForm,
    address: ['piste', 'ät', 'kauttaviiva'],
    half: 'puoli',
    to: 'viiva',
    dayForm: 'ordinal',
    plus: 'plus',
    equals: 'on',
    times: 'kertaa',
    by: 'kertaa',
    over: 'jaettuna',
    magnitudes: { milj: 'miljoonaa', miljoonaa: 'miljoonaa', mrd: 'miljardia' },
  },
  fr: {
    partOf: 'de',
    and: 'et',
    score: 'à',
    halves: { masculine: 'un demi', feminine: 'une demi' },
    halfNoun: (text, end) =>
      isNext(text, end, /\s(?:heure|journée|douzaine|cuill|tasse|livre|bouteille|portion|dose)/uy)
        ? 'feminine'
        : 'masculine',
    parts: { 3: ['tiers', 'tiers'], 4: ['quart', 'quarts'] },
    address: ['point', 'arobase', 'barre oblique'],
    half: 'un demi',
    to: 'à',
    firstDay: 'ordinal-masculine',
    yearForm: 'numbering',
    clock: (h, m) => `${h} heures ${m}`,
    hourForm: 'cardinal-feminine',
    hour: (h) => `${h} ${h === 'une' ? 'heure' : 'heures'}`,
    plus: 'plus',
    equals: 'égale',
    times: 'fois',
    by: 'par',
    over: 'sur',
    ordinals: new RegExp(String.raw`(?:ère|ère|re|er|nde|nd|ème|eme|e)(?![${latin}\d])`, 'uy'),
    ordinalForm: (mark) => (/^(?:re|ère|nde)$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
    magnitudes: {
      M: 'millions',
      Md: 'milliards',
      Mds: 'milliards',
      million: 'million',
      millions: 'millions',
      milliard: 'milliard',
      milliards: 'milliards',
      k: 'mille',
    },
    countedRomans: 'chapitre|tome|volume|livre|acte|scène|partie|phase|article|titre|section',
  },
  de: {
    score: 'zu',
    halves: { masculine: 'ein halber', feminine: 'eine halbe', neuter: 'ein halbes' },
    halfNoun: (text, end) =>
      isNext(text, end, germanFeminine)
        ? 'feminine'
        : isNext(text, end, /\s(?:Kilo|Pfund|Jahr|Glas|Dutzend|Brot)/uy)
          ? 'neuter'
          : isNext(text, end, /\s\p{Lu}/uy)
            ? 'masculine'
            : undefined,
    parts: { 3: ['Drittel', 'Drittel'], 4: ['Viertel', 'Viertel'] },
    countedYears: 'numbering-year',
    address: ['Punkt', 'at', 'Schrägstrich'],
    half: 'ein halb',
    to: 'bis',
    dayForm: germanDay,
    yearForm: 'numbering-year',
    clock: (h, m) => `${h} Uhr ${m}`,
    hour: (h) => `${h} Uhr`,
    hourForm: 'cardinal-masculine',
    clockWord: /[ \u00a0]?(?:Uhr|h)(?!\p{L})/uy,
    plus: 'plus',
    equals: 'gleich',
    times: 'mal',
    by: 'mal',
    over: 'durch',
    ordinals: ordinalPoint,
    ordinalForm: (_, place) => germanDay(place),
    counted: (text, end, number) =>
      number !== 1
        ? undefined
        : isNext(text, end, germanFeminine)
          ? 'cardinal-feminine'
          : isNext(text, end, /\s\p{Lu}/uy)
            ? 'cardinal-masculine'
            : undefined,
    magnitudes: {
      Mio: 'Millionen',
      Mrd: 'Milliarden',
      Tsd: 'tausend',
      Millionen: 'Millionen',
      Million: 'Million',
      Milliarden: 'Milliarden',
      Milliarde: 'Milliarde',
      Bio: 'Billionen',
    },
    countedRomans: 'Kapitel|Teil|Band|Akt|Szene|Phase|Abschnitt|Artikel|Buch|Weltkrieg|Stufe|Klasse|Hartz',
  },
  el: {
    units: { χλμ: 'kilometer', γρ: 'gram', εκ: 'centimeter' },
    address: ['τελεία', 'παπάκι', 'κάθετος'],
    half: 'μισό',
    moneyGender: 'neuter',
    to: 'έως',
    clock: (h, m) => `${h} και ${m}`,
    hourForm: 'cardinal-feminine',
    cents: 'και',
    plus: 'συν',
    equals: 'ίσον',
    times: 'φορές',
    by: 'επί',
    over: 'διά',
    ordinals: /(?:ος|ου|ον|η|ης|ο|α)(?!\p{L})/uy,
    ordinalForm: (mark) =>
      /^η/.test(mark) ? 'ordinal-feminine' : /^(?:ο|α)$/.test(mark) ? 'ordinal-neuter' : 'ordinal-masculine',
    magnitudes: { εκατ: 'εκατομμύρια', δισ: 'δισεκατομμύρια' },
    countedRomans: 'κεφάλαιο|τόμος|μέρος',
  },
  he: {
    address: ['נקודה', 'שטרודל', 'לוכסן'],
    half: 'חצי',
    to: 'עד',
    cents: 'ו',
    clock: (h, m) => `${h} ו${m}`,
    over: 'חלקי',
    plus: 'ועוד',
    equals: 'שווה',
  },
  hi: {
    ordinals: /(?:वां|वाँ|वीं|वें)(?![\p{L}\p{M}])/uy,
    ordinalForm: () => 'cardinal',
    ordinalWord: (said, mark) => said + mark,
    address: ['डॉट', 'एट', 'स्लैश'],
    half: 'आधा',
    to: 'से',
    clock: (h, m) => `${h} बजकर ${m} मिनट`,
    hour: (h) => `${h} बजे`,
    clockWord: /[ \u00a0]?(?:बजे)/uy,
    over: 'बटा',
    plus: 'जमा',
    equals: 'बराबर',
  },
  id: {
    address: ['titik', 'at', 'garis miring'],
    half: 'setengah',
    to: 'sampai',
    clock: (h, m) => `${h} lewat ${m}`,
    plus: 'tambah',
    equals: 'sama dengan',
    times: 'kali',
    by: 'kali',
    over: 'per',
    minus: 'minus',
    magnitudes: { juta: 'juta', miliar: 'miliar', triliun: 'triliun', ribu: 'ribu', jt: 'juta', rb: 'ribu' },
    countedRomans: 'bab|jilid|bagian|babak',
  },
  it: {
    partOf: 'di',
    and: 'e',
    score: 'a',
    halves: { masculine: 'mezzo', feminine: 'mezza' },
    parts: { 3: ['terzo', 'terzi'], 4: ['quarto', 'quarti'] },
    ruler: (ordinal) => ordinal,
    counted: (text, end, number) => (number === 1 ? agreeing(text, end) : undefined),
    address: ['punto', 'chiocciola', 'barra'],
    half: 'un mezzo',
    to: 'a',
    firstDay: 'ordinal-masculine',
    yearForm: 'numbering',
    clock: (h, m) => `${h} e ${m}`,
    hourForm: 'cardinal-feminine',
    hour: (h) => h,
    cents: 'e',
    plus: 'più',
    equals: 'uguale',
    times: 'volte',
    by: 'per',
    over: 'fratto',
    ordinals: /[º°ª](?![\p{L}\d])/uy,
    ordinalForm: (mark) => (mark === 'ª' ? 'ordinal-feminine' : 'ordinal-masculine'),
    magnitudes: {
      mln: 'milioni',
      mld: 'miliardi',
      milioni: 'milioni',
      milione: 'milione',
      miliardi: 'miliardi',
      miliardo: 'miliardo',
      mila: 'mila',
    },
    countedRomans: 'capitolo|tomo|volume|libro|atto|scena|parte|fase|articolo|titolo|sec\\.',
  },
  ja: {
    score: '対',
    address: ['ドット', 'アットマーク', 'スラッシュ'],
    to: 'から',
    clock: (h, m) => `${h}時${m}分`,
    hour: (h) => `${h}時`,
    date: (d, m, y) => `${y === undefined ? '' : `${y}年`}${m}月${d}日`,
    point: '点',
    dateOrder: 'ymd',
    by: 'かける',
    times: '倍',
    over: '分の',
    plus: '足す',
    equals: 'イコール',
    magnitudes: { 万: '万', 億: '億', 兆: '兆', 千: '千' },
    currencies: { '¥': 'JPY', 円: 'JPY' },
  },
  km: { to: 'ដល់', clock: (h, m) => `ម៉ោង${h}${m}នាទី` },
  ko: {
    score: '대',
    address: ['점', '골뱅이', '슬래시'],
    to: '에서',
    clock: (h, m) => `${h} 시 ${m} 분`,
    hour: (h) => `${h} 시`,
    hourForm: 'cardinal-native-attributive',
    date: (d, m, y) => `${y === undefined ? '' : `${y}년 `}${m === '육' ? '유' : m === '십' ? '시' : m}월 ${d}일`,
    dateOrder: 'ymd',
    by: '곱하기',
    times: '배',
    plus: '더하기',
    equals: '는',
    over: '분의',
    magnitudes: { 만: '만', 억: '억', 조: '조', 천: '천' },
    counted: (text, end, number) =>
      number > 0 &&
      number < 100 &&
      isNext(
        text,
        end,
        /\s?(?:개(?!월|년)|명|마리|살|번(?!지|째\s?줄|호|\s?(?:승강장|출구|버스|게이트|홈|창구|문제|국도|선수|테이블|채널|트랙))|시(?!간대)|시간|장|권|대(?!\s?[0-9])|잔|병|송이|그루|켤레|채|가지|사람|군데|달|벌|줄|판|통|쌍|자루|배(?!율))/uy,
      )
        ? 'cardinal-native-attributive'
        : undefined,
  },
  lo: { to: 'ຫາ', clock: (h, m) => `${h}ໂມງ${m}ນາທີ` },
  ms: {
    address: ['titik', 'at', 'garis miring'],
    half: 'setengah',
    to: 'hingga',
    clock: (h, m) => `${h} ${m}`,
    plus: 'tambah',
    equals: 'sama dengan',
    times: 'kali',
    by: 'kali',
    over: 'per',
    minus: 'negatif',
    magnitudes: { juta: 'juta', bilion: 'bilion', ribu: 'ribu' },
    countedRomans: 'bab|jilid|bahagian',
  },
  nb: {
    parts: { 3: ['tredjedel', 'tredjedeler'], 4: ['fjerdedel', 'fjerdedeler'] },
    countedYears: 'numbering-year',
    ruler: (ordinal) => `den ${ordinal}`,
    address: ['punktum', 'krøllalfa', 'skråstrek'],
    half: 'en halv',
    to: 'til',
    dayForm: 'ordinal-masculine',
    yearForm: 'numbering-year',
    cents: 'og',
    plus: 'pluss',
    equals: 'er lik',
    times: 'ganger',
    by: 'ganger',
    over: 'over',
    ordinals: pointBeforeNoun,
    ordinalForm: () => 'ordinal-masculine',
    magnitudes: {
      mill: 'millioner',
      mrd: 'milliarder',
      millioner: 'millioner',
      milliarder: 'milliarder',
      million: 'million',
    },
  },
  pl: {
    parts: { 4: ['czwarta', 'czwarte'], 3: ['trzecia', 'trzecie'] },
    ruler: (ordinal) => ordinal,
    ordinals: pointBeforeNoun,
    ordinalForm: (_, place) => polishOrdinal(place),
    counted: (text, end, number) =>
      number !== 1 ? undefined : isNext(text, end, /\s\p{L}{2,20}[aę](?!\p{L})/uy) ? 'cardinal-feminine' : undefined,
    address: ['kropka', 'małpa', 'ukośnik'],
    half: 'pół',
    to: 'do',
    dayForm: 'ordinal-masculine-genitive',
    yearForm: polishYear,
    dateYearForm: 'ordinal-masculine-genitive',
    clock: (h, m) => `${h} ${m}`,
    hourForm: polishHour,
    hour: (h) => h,
    plus: 'plus',
    equals: 'równa się',
    times: 'razy',
    by: 'na',
    over: 'przez',
    magnitudes: {
      mln: 'milionów',
      mld: 'miliardów',
      tys: 'tysięcy',
      milionów: 'milionów',
      miliony: 'miliony',
      milion: 'milion',
      miliardów: 'miliardów',
    },
    countedRomans: 'rozdział|tom|część|akt|scena|księga',
  },
  pt: {
    partOf: 'de',
    and: 'e',
    score: 'a',
    halves: { masculine: 'meio', feminine: 'meia' },
    parts: { 3: ['terço', 'terços'], 4: ['quarto', 'quartos'] },
    ruler: (ordinal, cardinal, value) => (value <= 10 ? ordinal : cardinal),
    clockWord: /[ \u00a0]?h(?:rs?)?(?![\p{L}\d])/uy,
    counted: agreeing,
    address: ['ponto', 'arroba', 'barra'],
    half: 'um meio',
    to: 'a',
    firstDay: 'ordinal-masculine',
    clock: (h, m) => `${h} e ${m}`,
    hourForm: 'cardinal-feminine',
    cents: 'e',
    plus: 'mais',
    equals: 'igual a',
    times: 'vezes',
    by: 'por',
    over: 'sobre',
    ordinals: /\.?[ºªoa](?![\p{L}\d])/uy,
    ordinalForm: (mark) => (/[ªa]/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
    magnitudes: {
      mi: 'milhões',
      bi: 'bilhões',
      milhões: 'milhões',
      milhão: 'milhão',
      bilhões: 'bilhões',
      bilhão: 'bilhão',
      mil: 'mil',
    },
    countedRomans: 'capítulo|tomo|volume|livro|ato|cena|parte|fase|artigo|título|século|séc\\.',
  },
  ru: {
    ruler: (ordinal) => ordinal,
    ordinalWord: (said, mark, place, end) =>
      /й$/.test(mark) &&
      isBehind(place, /(?<!\p{L})(?:на|в|во|о|об|при|после|до|с|со|из|от|к|у)\s$/iu) &&
      isNext(place.text, end, /\s\p{L}{2,20}[еиы](?!\p{L})/uy)
        ? said.replace(/(?:ый|ой)$/, 'ой').replace(/ий$/, 'ьей')
        : said,
    address: ['точка', 'собака', 'слэш'],
    half: 'одна вторая',
    to: '-',
    dayForm: russianDay,
    yearForm: russianYear,
    dateYearForm: 'ordinal-masculine-genitive',
    decimal: russianDecimal,
    point: 'запятая',
    plus: 'плюс',
    equals: 'равно',
    times: 'раз',
    by: 'на',
    over: 'дробь',
    ordinals: /-?(?:ый|ий|ой|й|ая|я|ое|е|ого|го|ом|м)(?!\p{L})/uy,
    ordinalForm: (mark) =>
      /я$/.test(mark)
        ? 'ordinal-feminine'
        : /е$/.test(mark)
          ? 'ordinal-neuter'
          : /го$/.test(mark)
            ? 'ordinal-masculine-genitive'
            : /м$/.test(mark)
              ? 'ordinal-masculine-prepositional'
              : 'ordinal-masculine',
    magnitudes: {
      млн: 'миллионов',
      млрд: 'миллиардов',
      тыс: 'тысяч',
      миллионов: 'миллионов',
      миллиона: 'миллиона',
      миллион: 'миллион',
      миллиардов: 'миллиардов',
      тысяч: 'тысяч',
    },
    countedRomans: 'глава|том|часть|раздел|акт|сцена',
  },
  es: {
    partOf: 'de',
    and: 'y',
    score: 'a',
    halves: { masculine: 'medio', feminine: 'media' },
    parts: { 3: ['tercio', 'tercios'], 4: ['cuarto', 'cuartos'] },
    ruler: (ordinal, cardinal, value) => (value <= 10 ? ordinal : cardinal),
    clockWord: /[ \u00a0]?h(?:rs?)?(?![\p{L}\d])/uy,
    counted: agreeing,
    address: ['punto', 'arroba', 'barra'],
    half: 'un medio',
    to: 'a',
    yearForm: 'numbering',
    clock: (h, m) => `${h} ${m}`,
    hourForm: 'cardinal-feminine',
    cents: 'con',
    plus: 'más',
    equals: 'igual a',
    times: 'veces',
    by: 'por',
    over: 'sobre',
    ordinals: /\.?(?:[ºª]|er|ero|era|do|da|to|ta)(?![\p{L}\d])/uy,
    ordinalForm: (mark) => (/ª|a$/.test(mark) ? 'ordinal-feminine' : 'ordinal-masculine'),
    ordinalWord: (said, mark) => (/er$/.test(mark) ? said.replace(/(primer|tercer)o$/, '$1') : said),
    magnitudes: { mill: 'millones', millones: 'millones', millón: 'millón', mil: 'mil', M: 'millones' },
    countedRomans: 'capítulo|tomo|volumen|libro|acto|escena|parte|fase|artículo|título|siglo|s\\.',
  },
  sw: {
    address: ['nukta', 'at', 'mkwaju'],
    half: 'nusu',
    to: 'hadi',
    clock: (h, m) => `${h} na dakika ${m}`,
    plus: 'jumlisha',
    equals: 'sawa na',
    over: 'kwa',
  },
  sv: {
    parts: { 3: ['tredjedel', 'tredjedelar'], 4: ['fjärdedel', 'fjärdedelar'] },
    countedYears: 'numbering-year',
    ruler: (ordinal) => `den ${ordinal}`,
    address: ['punkt', 'snabel-a', 'snedstreck'],
    half: 'en halv',
    to: 'till',
    dayForm: 'ordinal-masculine',
    yearForm: 'numbering-year',
    cents: 'och',
    plus: 'plus',
    equals: 'är lika med',
    times: 'gånger',
    by: 'gånger',
    over: 'genom',
    dateOrder: 'ymd',
    ordinals: /:[ae](?!\p{L})/uy,
    ordinalForm: () => 'ordinal-reale',
    magnitudes: {
      mn: 'miljoner',
      md: 'miljarder',
      mkr: 'miljoner kronor',
      miljoner: 'miljoner',
      miljarder: 'miljarder',
      miljon: 'miljon',
    },
  },
  tl: {
    address: ['tuldok', 'at', 'slash'],
    half: 'kalahati',
    to: 'hanggang',
    clock: (h, m) => `${h} ${m}`,
    dateOrder: 'mdy',
    plus: 'plus',
    equals: 'ay',
  },
  th: {
    address: ['จุด', 'แอท', 'ทับ'],
    half: 'ครึ่ง',
    to: 'ถึง',
    clock: (h, m) => `${h}นาฬิกา${m}นาที`,
    hour: (h) => `${h}นาฬิกา`,
    clockWord: /[ \u00a0]?(?:น\.|นาฬิกา)/uy,
    over: 'ส่วน',
    plus: 'บวก',
    equals: 'เท่ากับ',
    currencies: { บาท: 'THB' },
  },
  tr: {
    units: { dk: 'minute', sn: 'second', sa: 'hour' },
    score: '',
    address: ['nokta', 'et', 'bölü'],
    half: 'yarım',
    to: 'ila',
    clock: (h, m) => `${h} ${m}`,
    plus: 'artı',
    equals: 'eşittir',
    times: 'kat',
    by: 'çarpı',
    over: 'bölü',
    ordinals: /\.(?=[ \u00a0]\p{Ll})|['’]?(?:inci|ıncı|uncu|üncü|nci|ncı|ncu|ncü)(?!\p{L})/uy,
    ordinalForm: () => 'ordinal',
    magnitudes: { milyon: 'milyon', milyar: 'milyar', bin: 'bin', mn: 'milyon', mr: 'milyar' },
    countedRomans: 'bölüm|cilt|kısım',
  },
  vi: {
    address: ['chấm', 'a còng', 'gạch chéo'],
    to: 'đến',
    clock: (h, m) => `${h} giờ ${m} phút`,
    hour: (h) => `${h} giờ`,
    clockWord: /[ \u00a0]?(?:giờ)(?!\p{L})/uy,
    date: (d, m, y) => `${d} tháng ${m}${y === undefined ? '' : ` năm ${y}`}`,
    plus: 'cộng',
    equals: 'bằng',
    times: 'lần',
    by: 'nhân',
    over: 'phần',
    magnitudes: { triệu: 'triệu', tỷ: 'tỷ', tỉ: 'tỉ', nghìn: 'nghìn', ngàn: 'ngàn' },
    currencies: { đ: 'VND', Đ: 'VND' },
    countedRomans: 'chương|phần|tập',
  },
};

/** `3,5` to "три целых пять десятых". */
function russianDecimal(whole: string, fraction: string): string | undefined {
  const parts = ['десят', 'сот', 'тысячн'];
  const part = parts[fraction.length - 1];
  if (part === undefined || whole.length > 15) return undefined;
  const number = (digits: string): string => spellOut('ru', 'cardinal-feminine', Number(digits));
  const isOneOf = (digits: string): boolean => pluralCategory('ru', Number(digits)) === 'one';
  return `${number(whole)} ${isOneOf(whole) ? 'целая' : 'целых'} ${number(fraction)} ${part}${isOneOf(fraction) ? 'ая' : 'ых'}`;
}

/** Spanish and Portuguese numbers agree with their nouns, which mostly show their gender. */
function agreeing(text: string, end: number): string | undefined {
  if (isNext(text, end, /\s\p{L}{2,20}as?(?!\p{L})/uy)) return 'cardinal-feminine';
  return isNext(text, end, /\s\p{L}{4}/uy) ? 'cardinal-masculine' : undefined;
}

const russianUnits = [
  ['км', 'kilometer'],
  ['м', 'meter'],
  ['см', 'centimeter'],
  ['мм', 'millimeter'],
  ['кг', 'kilogram'],
  ['г', 'gram'],
  ['мг', 'milligram'],
  ['л', 'liter'],
  ['мл', 'milliliter'],
  ['т', 'tonne'],
  ['ч', 'hour'],
  ['мин', 'minute'],
  ['с', 'second'],
  ['сек', 'second'],
  ['га', 'hectare'],
  ['кВт', 'kilowatt'],
  ['Вт', 'watt'],
  ['ГБ', 'gigabyte'],
  ['МБ', 'megabyte'],
  ['Гц', 'hertz'],
] as const;

/** `1998 г.` is a year; grams have no period. */
const isRussianYear = ({ text, start }: Place, end: number): boolean =>
  /^(?:1[1-9]|20)\d\d[ \u00a0]?г\.$/u.test(text.slice(start, end + 1));

/** Before a number that is dialled. */
const telephoneWords =
  /(?<!\p{L})(?:tel|tél|téléphone|teléfono|telefon[eo]?|telefoon|tlf|tfn|puh|puhelin|тел|телефон|τηλ|τηλέφωνο|telp|telepon|điện thoại)[.:]{0,2}\s?$/iu;
const ordinalNoun =
  /(?<=[°º])\s(?!(?:sotto|sopra|all|nord|sud|est|ovest|bajo|sobre|abaixo|acima|norte|sul|sur|este|oeste|para|por|com|con)(?!\p{L}))\p{Ll}{3}/uy;
/** `3° piano`, but `20° sotto zero`. */
const isOrdinal = ({ text }: Place, end: number): boolean => isNext(text, end, ordinalNoun);

/** The gender of a noun behind one half: by its ending in Spanish, Portuguese and Italian. */
function romanceHalf(text: string, end: number): Gender | undefined {
  if (isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{2,20}as?(?!\p{L})/uy)) return 'feminine';
  return isNext(text, end, /\s(?!d[aeio]\s|d[’'])\p{Ll}{3}/uy) ? 'masculine' : undefined;
}

/** Yen and won have no hundredths. */
const hasNoCents = (currency: string): boolean => /^(?:¥|JPY|KRW|VND)$/.test(currency);

const icuTag = (tag: string): string => (tag === 'tl' ? 'fil' : tag);
const unspacedLanguages = new Set(['ja', 'th', 'lo', 'km', 'my']);

interface UnitName {
  readonly gender?: string | undefined;
  readonly patterns: ReadonlyMap<string, string>;
}
function parseUnits(tag: string): ReadonlyMap<string, UnitName> {
  const units = new Map<string, UnitName>();
  for (const line of (unitNames[tag] ?? '').trim().split('\n')) {
    const space = line.indexOf(' ');
    const parts = line.slice(space + 1).split('|');
    const gender = parts[0]?.startsWith('@') ? parts.shift()?.slice(1) : undefined;
    const patterns = new Map(
      parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const),
    );
    units.set(line.slice(0, space), {
      gender,
      patterns: line.startsWith('per ') ? new Map([['other', line.slice(4)]]) : patterns,
    });
  }
  return units;
}

function monthsOf(tag: string): { readonly names: readonly string[]; readonly written: ReadonlyMap<string, number> } {
  const names: string[] = [];
  const written = new Map<string, number>();
  const date = (month: number): Date => new Date(Date.UTC(2025, month, 15));
  const form = (options: Intl.DateTimeFormatOptions, month: number): string =>
    new Intl.DateTimeFormat(icuTag(tag), { calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC', ...options })
      .formatToParts(date(month))
      .find(({ type }) => type === 'month')?.value ?? '';
  for (let month = 0; month < 12; month += 1) {
    const inDate = form({ day: 'numeric', month: 'long', year: 'numeric' }, month);
    names.push(inDate);
    for (const name of [
      inDate,
      form({ month: 'long' }, month),
      form({ day: 'numeric', month: 'short', year: 'numeric' }, month),
      form({ month: 'short' }, month),
    ]) {
      const key = name.replace(/\.$/, '').toLowerCase();
      if (/^[\p{L}\p{M}]{3,}$/u.test(key) && !written.has(key)) written.set(key, month + 1);
    }
  }
  return { names, written };
}

/** A number before a noun in Tagalog. */
const linker = (said: string): string =>
  /[aeiou]$/.test(said) ? `${said}ng` : /n$/.test(said) ? `${said}g` : `${said} na`;

/** The language's own currency, whose country isn't said: the first or the last word of its name. */
const home: Readonly<Record<string, readonly [currency: string, word: 'first' | 'last']>> = {
  pl: ['PLN', 'first'],
  ru: ['RUB', 'last'],
  id: ['IDR', 'first'],
  ms: ['MYR', 'first'],
  tl: ['PHP', 'first'],
  sv: ['SEK', 'last'],
  da: ['DKK', 'last'],
  nb: ['NOK', 'last'],
  hi: ['INR', 'last'],
  vi: ['VND', 'first'],
  ko: ['KRW', 'last'],
  tr: ['TRY', 'last'],
  pt: ['BRL', 'first'],
  th: ['THB', 'first'],
};
const feminineEnding: Readonly<Record<string, RegExp>> = {
  es: /^\p{L}*a(?:s)?(?:\s|$)/u,
  pt: /^\p{L}*a(?:s)?(?:\s|$)/iu,
  it: /^\p{L}*(?:a|ine|one)(?:\s|$)/u,
  fr: /^(?:livre|couronne|roupie|lire|roupies|livres|couronnes)/u,
  de: /(?:Krone|Kronen|Rupie|Rupien|Lira|Rupiah)$/u,
  ru: /а(?:\s|$)|рупи|лир|крон|гривн|йен|иен/u,
  pl: /(?:a|y|ów)$/u,
};

function createLanguage(tag: string): Language {
  const own = settings[tag] as Settings;
  const isUnspaced = unspacedLanguages.has(tag);
  const gap = isUnspaced ? '' : ' ';
  const join = (...words: readonly string[]): string => words.filter((word) => word !== '').join(gap);
  const numberFormat = new Intl.NumberFormat(icuTag(tag), { numberingSystem: 'latn' });
  const decimalMark = numberFormat.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
  let units: ReadonlyMap<string, UnitName> | undefined;
  const { names: monthNames, written: months } = monthsOf(tag);
  const base = hasForm(tag, 'numbering') ? 'numbering' : 'cardinal';
  const firstForm = (...forms: readonly string[]): string => forms.find((form) => hasForm(tag, form)) ?? base;
  const minus = own.minus ?? minusOf(tag) ?? 'minus';
  const point = own.point ?? pointOf(tag) ?? '.';
  const digitNames = Array.from({ length: 10 }, (_, digit) => spellOut(tag, base, digit));

  // CLDR has the older spelling of tens.
  const tidy = (said: string): string =>
    tag === 'tl'
      ? said
          .replace(/ong pu/g, 'umpu')
          .replace(/ang pu/g, 'ampu')
          .replace(/ na pu/g, 'napu')
      : said;
  const spell = (digits: string): string =>
    [...digits.replace(/\D/g, '')].map((digit) => digitNames[Number(digit)] ?? '').join(isUnspaced ? '' : ' ');
  const whole = (digits: string, form: string): string =>
    digits.length > 15 || /^0\d/.test(digits) ? spell(digits) : tidy(spellOut(tag, firstForm(form), Number(digits)));
  const say = ({ whole: digits, fraction }: Numeral, form = base): string => {
    const decimal = fraction === undefined ? undefined : own.decimal?.(digits === '' ? '0' : digits, fraction);
    if (decimal !== undefined) return decimal;
    const said = whole(digits === '' ? '0' : digits, fraction === undefined ? form : base);
    return fraction === undefined ? said : join(said, point, spell(fraction));
  };
  const signs: Readonly<Record<Sign, string>> = { '-': minus, '+': own.plus ?? '', '±': '±', '~': '' };
  const signed = (sign: Sign | undefined, said: string): string =>
    sign === undefined ? said : join(signs[sign], said);
  const versus = (first: string, last: string): string => join(first, own.score ?? '', last);
  /** `3-1` is a score, as a range goes up. */
  const isScore = ({ sign, first, last, magnitude }: Amount): boolean =>
    last !== undefined &&
    [first, last].every(({ whole, fraction }) => fraction === undefined && /^(?:0|[1-9]\d{0,2})$/.test(whole)) &&
    numberOf(first) > numberOf(last) &&
    numberOf(first) < 200 &&
    sign === undefined &&
    magnitude === undefined;
  const range = (first: string, last: string): string =>
    own.to === '-' ? `${first}-${last}` : tag === 'ko' ? `${first}에서 ${last}` : join(first, own.to, last);
  const sayAmount = ({ sign, first, last, lastSign, magnitude = '' }: Amount, form = base): string => {
    if (last !== undefined && isScore({ sign, first, last, magnitude: magnitude === '' ? undefined : magnitude }))
      return versus(say(first), say(last));
    const start = signed(sign, say(first, last === undefined || /genitive$/.test(form) ? form : base));
    const said = last === undefined ? start : range(start, signed(lastSign, say(last, form)));
    return join(said, magnitude);
  };
  /** The form of a whole number in the case that what stands around it tells. */
  const inCase = ({ first, last, magnitude, sign }: Amount, place: Place, end: number): string | undefined => {
    if (first.fraction !== undefined || last?.fraction !== undefined || sign !== undefined || magnitude !== undefined)
      return undefined;
    const found = caseOf(tag, place, end, (last ?? first).whole);
    return found === undefined ? undefined : firstForm(`cardinal-masculine-${found}`);
  };
  /** Of an amount whose unit is in the genitive too, as after `до` and `od`. */
  const genitive = (amount: Amount, place: Place, end: number): string | undefined => {
    const form = inCase(amount, place, end);
    return form?.endsWith('genitive') && tag !== 'fi' ? form : undefined;
  };
  const formOf = (gender: string | undefined): string =>
    firstForm(
      ...(gender === undefined ? [] : [`cardinal-${gender}`]),
      ...(gender === 'common' ? ['cardinal-reale'] : []),
      'cardinal-masculine',
      'cardinal',
      'cardinal-sinokorean',
    );
  /** The plural category of an amount's last number. */
  const categoryOf = ({ first, last, magnitude }: Amount): string => {
    const { whole: digits, fraction } = last ?? first;
    if (magnitude !== undefined) return pluralCategory(icuTag(tag), 1_000_000);
    const value = numberOf({ whole: digits, fraction });
    return fraction === undefined
      ? pluralCategory(icuTag(tag), value)
      : new Intl.PluralRules(icuTag(tag), { minimumFractionDigits: fraction.length }).select(value);
  };
  const nounPattern = (id: string, amount: Amount | 'genitive'): string | undefined => {
    units ??= parseUnits(tag);
    const { patterns } = units.get(id) ?? {};
    return patterns?.get(amount === 'genitive' ? 'many' : categoryOf(amount)) ?? patterns?.get('other');
  };
  /** Units that CLDR joins by a slash are one after the other. */
  const withPattern = (pattern: string, said: string): string => {
    const words = pattern
      .replace('/', tag === 'vi' ? ' trên ' : ' ')
      .replace('{0}', said)
      .trim();
    return tag === 'ja' ? words.replaceAll(' ', '') : words;
  };
  const sayUnit = (amount: Amount, { of, per }: CompoundUnit, form?: string): string | undefined => {
    const id = of.power === 2 ? `square-${of.id}` : of.power === 3 ? `cubic-${of.id}` : of.id;
    units ??= parseUnits(tag);
    const compound = per === undefined ? id : `${id}-per-${per.power === 2 ? `square-${per.id}` : per.id}`;
    const known = units.has(compound) ? compound : id;
    const pattern = nounPattern(known, form === undefined ? amount : 'genitive');
    if (pattern === undefined) return undefined;
    const { gender } = units.get(known) ?? {};
    // A unit that says the number in its own words has no place for it.
    const said = pattern.includes('{0}') ? withPattern(pattern, sayAmount(amount, form ?? formOf(gender))) : pattern;
    if (per === undefined || known === compound) return said;
    const perPattern = units
      .get(per.power === undefined ? per.id : `${per.power === 2 ? 'square' : 'cubic'}-${per.id}`)
      ?.patterns.get('per');
    if (perPattern !== undefined) return perPattern.replace('{0}', said);
    const below = nounPattern(per.id, { first: { whole: '1' } })
      ?.replace('{0}', '')
      .trim();
    const between = units.get('per')?.patterns.get('other') ?? '{0}/{1}';
    return below === undefined || between === '{0}/{1}'
      ? undefined
      : between.replace('{0}', said).replace('{1}', below);
  };
  const dateParts = new Map<'day' | 'year', readonly Intl.DateTimeFormatPart[]>();
  const currencyNames = new Map<string, string>();
  const currencyName = (code: string, amount: Amount): string => {
    const currency = { $: 'USD', '¥': 'JPY', kr: tag === 'sv' ? 'SEK' : tag === 'nb' ? 'NOK' : 'DKK' }[code] ?? code;
    if (!/^[A-Z]{3}$/.test(currency)) return code === 'cent' ? 'cent' : code;
    const counted = amount.last ?? amount.first;
    // Hundredths are said behind the name.
    const isWhole = amount.last === undefined && counted.fraction?.length === 2;
    const value = amount.magnitude !== undefined ? 1_000_000 : isWhole ? Number(counted.whole) : numberOf(counted);
    const key = `${code} ${pluralCategory(icuTag(tag), value)}`;
    const name = currencyNames.get(key) ?? nameOfCurrency(code, currency, value);
    currencyNames.set(key, name);
    return name;
  };
  const nameOfCurrency = (code: string, currency: string, value: number): string => {
    const format = new Intl.NumberFormat(icuTag(tag), {
      style: 'currency',
      currency,
      currencyDisplay: 'name',
      minimumFractionDigits: 0,
    });
    const full = (format.formatToParts(value).findLast(({ type }) => type === 'currency')?.value ?? currency)
      .replaceAll('\u200b', '')
      .replace(/ ng$|ไทย$/, '')
      .replace(/lirası$/, 'lira');
    const isHome = home[tag]?.[0] === currency;
    const short =
      code === '$'
        ? whose(full)
        : isHome
          ? home[tag]?.[1] === 'first'
            ? full.split(' ')[0]
            : full.split(' ').at(-1)
          : full;
    const name =
      tag === 'de' ? (short ?? full) : (short ?? full).replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
    return name;
  };
  /** Whose dollar it is isn't written. */
  const whose = (name: string): string =>
    name
      .replace(
        /^(?:US|U\.S\.)[- ]|[- ](?:US|USA|d[eo]s Estados Unidos|des États-Unis|statunitens[ei]|estadounidenses?|americanos?|amerykańsk\p{L}*|Mỹ|AS|ABD)$/u,
        '',
      )
      .replace(/^(?:amerikansk[ea]?|Amerikaanse|美|米|미국|दॊलर|amerikkalais\p{L}*|Yhdysvaltain) ?/u, '')
      .replace(/ (?:США|ΗΠΑ|ארה״ב|أمريكي|ng Estados Unidos|ng US)$/u, '');
  const isFeminine = (name: string): boolean => feminineEnding[tag]?.test(name) ?? false;
  const ofMillions = /^(?:fr|es|it|pt)$/.test(tag) ? 'de' : '';
  /** `€/mes`, `₽/кг` */
  const sayPer = (said: string, per: string): string => {
    units ??= parseUnits(tag);
    const written = per.replace(/[²³]$/, '');
    const id = unitOf(written, own.units);
    const known =
      id === undefined
        ? undefined
        : units.get(per === written ? id : `${per.endsWith('²') ? 'square' : 'cubic'}-${id}`);
    const pattern = known?.patterns.get('per');
    if (pattern !== undefined) return withPattern(pattern, said);
    const name = known?.patterns.get('one') ?? known?.patterns.get('other');
    const between = units.get('per')?.patterns.get('other') ?? '{0}/{1}';
    return between
      .replace('/', ' ')
      .replace('{0}', said)
      .replace('{1}', name?.replace('{0}', '').trim() ?? per);
  };
  const sayMoney = (meaning: Meaning<'money'>, place: Place, end: number): string =>
    meaning.per === undefined ? sayPrice(meaning, place, end) : sayPer(sayPrice(meaning, place, end), meaning.per);
  const sayPrice = ({ amount, currency }: Meaning<'money'>, place: Place, end: number): string => {
    const cased = genitive(amount, place, end);
    const name = currencyName(currency, cased === undefined ? amount : { first: { whole: '5' } });
    const form = cased ?? formOf(isFeminine(name) ? 'feminine' : (own.moneyGender ?? 'masculine'));
    const { first, last, magnitude, sign } = amount;
    const linked = (said: string): string => (tag === 'tl' ? linker(said) : said);
    const before = (said: string): string => (tag === 'sw' ? join(name, said) : join(linked(said), name));
    if (
      magnitude !== undefined &&
      /^mil(?!le?$)|^mill|^bil/.test(magnitude) &&
      ofMillions !== '' &&
      magnitude !== 'mil'
    ) {
      return join(
        sayAmount(amount, form),
        tag === 'it' ? `di ${name}` : /^[aeiouh]/i.test(name) && tag === 'fr' ? `d'${name}` : `de ${name}`,
      );
    }
    if (last !== undefined || magnitude !== undefined || first.fraction?.length !== 2 || hasNoCents(currency))
      return before(sayAmount(amount, form));
    const units = before(signed(sign, say({ whole: first.whole }, form)));
    return Number(first.fraction) === 0
      ? units
      : `${units} ${tag === 'ar' || tag === 'he' ? `${own.cents ?? ''}` : own.cents === undefined ? '' : `${own.cents} `}${spellOut(tag, base, Number(first.fraction))}`.replace(
          / {2,}/g,
          ' ',
        );
  };
  const sayYear = (digits: string, place?: Place, end?: number): string => {
    const { yearForm } = own;
    const form =
      typeof yearForm !== 'function'
        ? yearForm
        : place === undefined || end === undefined
          ? undefined
          : (yearForm(place, end) ?? base);
    // A year below 1100 or above 2099 is read as any number.
    return whole(digits, form ?? own.dateYearForm ?? base).replace(/^одна (?=тысяча)/u, '');
  };
  const sayDay = (day: number, place: Place): string => {
    const form =
      day === 1 && own.firstDay !== undefined
        ? own.firstDay
        : typeof own.dayForm === 'function'
          ? own.dayForm(place)
          : own.dayForm;
    const spoken = form ?? firstForm('cardinal-masculine', 'cardinal', base);
    return spellOut(
      tag,
      tag === 'es' || tag === 'it' || tag === 'pt' || tag === 'fr' || tag === 'de' ? (form ?? base) : spoken,
      day,
    );
  };
  const sayClock = ({ hour, minute, second, half }: Clock, place: Place): string => {
    const ownForm = typeof own.hourForm === 'function' ? own.hourForm(place) : own.hourForm;
    const hourForm = firstForm(...(ownForm === undefined ? [] : [ownForm]), base);
    const isNative = hourForm === 'cardinal-native-attributive';
    const hours =
      hour === 0 && ownForm?.startsWith('ordinal')
        ? spellOut(tag, base, 0)
        : spellOut(tag, isNative && (hour > 12 || hour === 0) ? base : hourForm, hour);
    const minutes = minute === undefined || minute === 0 ? '' : spellOut(tag, base, minute);
    const alone =
      own.hour === undefined
        ? (sayUnit({ first: { whole: String(hour) } }, { of: { id: 'hour' } }) ?? hours)
        : own.hour(hours);
    const clock = minutes === '' ? alone : own.clock === undefined ? join(hours, minutes) : own.clock(hours, minutes);
    const seconds =
      second === undefined || second === 0
        ? ''
        : (sayUnit({ first: { whole: String(second) } }, { of: { id: 'second' } }) ?? '');
    return join(clock, seconds, half ?? '');
  };
  const ordinalForm = (mark: string, place: Place): string =>
    firstForm(own.ordinalForm?.(mark, place) ?? 'ordinal', 'ordinal', 'ordinal-masculine');

  /** `14.30 Uhr` and `9 Uhr`: a time by the word behind it. */
  const pointTime = (place: Place): Found | undefined => {
    if (own.clockWord === undefined || !place.isBorder) return undefined;
    const cursor = cursorAt(place);
    const [, hour, minute] = take(cursor, /(\d{1,2})(?:[.:]([0-5]\d))?(?!\d|[.,:]\d)/y) ?? [];
    if (hour === undefined || Number(hour) > 24 || !isNext(place.text, cursor.at, own.clockWord)) return undefined;
    return foundAt(cursor, {
      kind: 'time',
      first: { hour: Number(hour), minute: minute === undefined ? undefined : Number(minute) },
    });
  };
  const clockWords: SemioticClass = {
    ...times,
    find(place) {
      const found = times.find(place) ?? pointTime(place);
      if (found === undefined || own.clockWord === undefined) return found;
      const cursor = { text: place.text, at: found.end };
      take(cursor, own.clockWord);
      return { ...found, end: cursor.at };
    },
  };
  /** `3.` is an ordinal behind an article in German, before a noun in Finnish and Turkish, but no item of a list. */
  const ordinals =
    own.ordinals === undefined
      ? []
      : [ordinalsWith(own.ordinals)].map(
          (of): SemioticClass => ({
            ...of,
            find: (place) => {
              const found = of.find(place);
              if (found?.meaning.kind !== 'ordinal' || found.meaning.mark !== '.') return found;
              const point = found.end - 1;
              const isNamed = isNext(place.text, point, nounOfOrdinal) || isNext(place.text, point, germanOrdinalNoun);
              const isMeant =
                own.ordinals === ordinalPoint
                  ? isBehind(place, article) || isNamed
                  : isNamed || !isBehind(place, itemStart);
              return isMeant ? found : undefined;
            },
          }),
        );
  const romans =
    own.countedRomans === undefined && own.ruler === undefined
      ? []
      : [
          romansWith({
            counted: new RegExp(String.raw`(?<!\p{L})(?:${own.countedRomans ?? '(?!)'})\s$`, 'iu'),
            countedLetter: new RegExp(String.raw`(?<!\p{L})(?:${own.countedRomans ?? '(?!)'})\s$`, 'iu'),
            ruler: own.ruler === undefined ? /(?!)/u : rulers,
            rulerLetter: own.ruler === undefined ? /(?!)/u : rulers,
            century:
              tag === 'it' ? /\ssecolo/y : tag === 'ru' ? /\sв(?:ек|в?\.)/y : tag === 'pl' ? /\sw(?:iek|\.)/y : /(?!)/y,
          }),
        ];
  const abbreviations = abbreviationsOf(tag);
  const koreanMonth: SemioticClass = {
    name: 'Korean month',
    begins: ['digit'],
    find(place) {
      const cursor = cursorAt(place);
      const [, digits] = take(cursor, /(6|10)월/y) ?? [];
      return digits === undefined || !place.isBorder
        ? undefined
        : foundAt(cursor, { kind: 'words', spoken: digits === '6' ? '유월' : '시월' });
    },
  };
  const magnitudes = new Map(Object.entries(own.magnitudes ?? {}).filter(([, said]) => said !== ''));

  return {
    tag,
    decimalMark,
    dateOrder: own.dateOrder ?? 'dmy',
    months,
    weekdays: new Map(),
    magnitudes,
    moneyMagnitudes: magnitudes,
    currencies: new Map(Object.entries(own.currencies ?? {})),
    units: new Map(
      own.units !== undefined
        ? Object.entries(own.units)
        : tag === 'ru'
          ? russianUnits
          : tag === 'sv' || tag === 'nb' || tag === 'da'
            ? [['st', '']]
            : [],
    ),
    ...(tag === 'ru' ? { isNoMeasure: isRussianYear } : {}),
    ...(/^(?:it|pt|es)$/.test(tag) ? { isNoMeasure: isOrdinal } : {}),
    cues: {
      telephone: telephoneWords,
      time: /(?<!\p{L})(?:kl\.?|klo|kello|klokken|klockan|pukul|jam|saat|um|om|ore|alle|à|às)\s$/iu,
    },
    classes: [
      addresses,
      ...(abbreviations === undefined ? [] : [abbreviations]),
      ...romans,
      namedDates,
      numericDates,
      clockWords,
      years,
      telephones,
      ...localNames(tag),
      versions,
      identifiers,
      ...quantities,
      ...ordinals,
      fractions,
      fractionRanges,
      operators,
      ...(tag === 'ru' ? [russianYearWords] : []),
      ...(tag === 'ko'
        ? [koreanMonth]
        : tag === 'fi'
          ? [finnishSuffixes]
          : tag === 'de'
            ? [germanStreets, germanRomans]
            : tag === 'fr'
              ? [frenchCenturies]
              : []),
      ratios,
      cardinals,
      hyphens,
    ],
    sayNumeral: (numeral) => say(numeral),
    sayAmount: (amount) => sayAmount(amount),
    sayUnit,
    say: {
      cardinal({ amount }, place, end) {
        const { first, last } = amount;
        const { text } = place;
        const counted = own.counted?.(text, end, numberOf(last ?? first));
        if (counted !== undefined && first.fraction === undefined) {
          const isJoined = tag === 'ko' && !isNext(text, end, /\s/y);
          return sayAmount(amount, counted) + (isJoined ? ' ' : '');
        }
        const year =
          typeof own.yearForm === 'function' &&
          /^[12]\d{3}$/.test(first.whole) &&
          first.fraction === undefined &&
          last === undefined
            ? own.yearForm(place, end)
            : undefined;
        if (year !== undefined) return sayYear(first.whole, place, end);
        const hundreds =
          own.countedYears !== undefined && last === undefined && !first.grouped && /^1[1-9]\d\d$/.test(first.whole);
        const said = sayAmount(
          amount,
          hundreds && first.fraction === undefined ? own.countedYears : inCase(amount, place, end),
        );
        return tag === 'tl' && isNext(text, end, /\s\p{L}/uy) ? linker(said) : said;
      },
      ordinal: ({ first, last, mark = '' }, place, end) => {
        const form = ordinalForm(mark.trim(), place);
        const said = whole(first, form);
        return last === undefined
          ? (own.ordinalWord?.(said, mark, place, end) ?? said)
          : range(whole(first, form), whole(last, form));
      },
      fraction({ unit, ...fraction }, place, end) {
        const { above, below, whole: digits } = fraction;
        units ??= parseUnits(tag);
        const { gender } = units.get(unit?.of.id ?? '') ?? {};
        const isHalf = above === '1' && below === '2' && digits === undefined;
        const noun = (own.halfNoun ?? romanceHalf)(place.text, end);
        const half = own.halves?.[(unit === undefined ? noun : gender) as 'masculine'] ?? own.halves?.any;
        const said = isHalf && half !== undefined ? signed(fraction.sign, half) : sayFraction(fraction);
        if (said === undefined || unit === undefined) return said;
        // "a quarter of a liter"
        const isPart = digits === undefined && (own.halves !== undefined || own.partOf !== undefined);
        const pattern = nounPattern(unit.of.id, { first: isPart ? { whole: '1' } : { whole: '0', fraction: '5' } });
        const of =
          isPart && own.parts?.[below] !== undefined && own.partOf !== undefined ? `${said} ${own.partOf}` : said;
        return unit.per !== undefined || unit.of.power !== undefined || pattern === undefined
          ? undefined
          : withPattern(pattern, of);
      },
      percent({ amount, mark }, place, end) {
        const unit = mark === '‰' ? 'permille' : 'percent';
        units ??= parseUnits(tag);
        const form = genitive(amount, place, end);
        const pattern = nounPattern(unit, form === undefined ? amount : 'genitive');
        if (pattern === undefined || /[%‰٪]/.test(pattern)) {
          const name = { ko: '퍼센트', vi: 'phần trăm', ar: 'بالمئة', he: 'אחוז' }[tag];
          return name === undefined ? undefined : join(sayAmount(amount), mark === '‰' ? '‰' : name);
        }
        return withPattern(pattern, sayAmount(amount, form ?? formOf(units.get(unit)?.gender)));
      },
      money: sayMoney,
      measure: ({ amount, unit }, place, end) => sayUnit(amount, unit, genitive(amount, place, end)),
      measures: ({ parts }) => {
        const said = parts.map(([number, unit]) => sayUnit({ first: number }, { of: { id: unit } }));
        return said.includes(undefined) ? undefined : said.join(' ');
      },
      date(meaning, place) {
        const { year, month = 1, day, lastDay } = meaning;
        const spokenYear = year === undefined ? undefined : sayYear(year);
        if (day === undefined) return join(monthNames[month - 1] ?? '', spokenYear ?? '');
        const days = lastDay === undefined ? sayDay(day, place) : range(sayDay(day, place), sayDay(lastDay, place));
        if (own.date !== undefined) return own.date(days, spellOut(tag, base, month), spokenYear);
        return datePattern(days, monthNames[month - 1] ?? '', spokenYear);
      },
      year: ({ first, last, era }, place, end) =>
        era !== undefined
          ? undefined
          : last === undefined
            ? sayYear(first, place, end)
            : range(sayYear(first, place, end), sayYear(last, place, end)),
      decade: () => undefined,
      time: ({ first, last, zone = '' }, place) =>
        join(last === undefined ? sayClock(first, place) : range(sayClock(first, place), sayClock(last, place)), zone),
      duration: ({ parts }, place) => {
        const [[hours = '', of] = [], [minutes] = []] = parts;
        // `14h30`
        if (/^(?:fr|pt|es|it)$/.test(tag) && of === 'hour' && parts.length === 2 && Number(hours) <= 24)
          return sayClock({ hour: Number(hours), minute: Number(minutes) }, place);
        const said = parts.map(([number, unit]) => sayUnit({ first: { whole: number } }, { of: { id: unit } }));
        return said.includes(undefined) ? undefined : join(...said.map((word) => word ?? ''));
      },
      telephone: ({ groups }) => groups.map(spell).join(', '),
      digits: ({ groups }) => groups.map(spell).join(', '),
      roman({ value, form }, place, end) {
        if (form !== 'ordinal') return whole(String(value), base);
        if (own.ruler === undefined || !isBehind(place, rulers))
          return whole(String(value), centuryForm(tag, place, end) ?? ordinalForm('', place));
        return own.ruler(
          inCaseOfRuler(tag, place, whole(String(value), firstForm(rulerForm(tag, place), 'ordinal'))),
          whole(String(value), base),
          value,
        );
      },
      ratio: ({ numbers }) =>
        numbers
          .map((number) => say(number))
          .join(
            own.score !== undefined
              ? join('', own.score, '') === ''
                ? gap
                : `${gap}${own.score}${gap}`
              : isUnspaced
                ? ':'
                : own.to === '-'
                  ? ' '
                  : ` ${own.to} `,
          ),
      dimensions({ numbers, unit }) {
        if (own.by === undefined) return undefined;
        const last = numbers.at(-1) ?? { whole: '0' };
        const said = numbers
          .slice(0, -1)
          .map((number) => join(say(number), own.by ?? ''))
          .join(gap);
        const end = unit === undefined ? say(last) : sayUnit({ first: last }, unit);
        return end === undefined ? undefined : join(said, end);
      },
      multiplier: ({ amount }) => (own.times === undefined ? undefined : join(sayAmount(amount), own.times)),
      operator({ sign }, { before }, end) {
        const word = { '+': own.plus, '=': own.equals, '-': minus, '−': minus, '×': own.by, to: own.to }[sign];
        if (word === undefined) return undefined;
        void end;
        return isUnspaced ? word : `${before === '' || /\s$/.test(before) ? '' : ' '}${word} `;
      },
      power: () => undefined,
      version: ({ parts, release = [] }) =>
        join(
          parts.map((part) => whole(part, base)).join(isUnspaced ? point : ` ${point} `),
          ...release.map((part) => (/\d/.test(part) ? whole(part, base) : part)),
        ),
      address({ text }) {
        if (own.address === undefined || /^[@#]/.test(text)) return undefined;
        const [dot, at, slash] = own.address;
        const names: Readonly<Record<string, string>> = { '.': dot, '@': at, '/': slash };
        return text
          .replace(/^(?:https?|ftp):\/\//iu, '')
          .replace(/\/$/, '')
          .replace(/[.@/]/g, (sign) => ` ${names[sign]} `)
          .replace(/\d{1,15}/g, (digits) => ` ${whole(digits, base)} `)
          .replace(/ {2,}/g, ' ')
          .trim();
      },
      code: ({ number }) => say(number),
      words: ({ spoken }) => spoken,
    },
  };

  function sayFraction({
    sign,
    whole: digits,
    above,
    below,
  }: Omit<Meaning<'fraction'>, 'kind' | 'unit'>): string | undefined {
    const parts = own.parts?.[below];
    if (parts !== undefined && Number(above) < Number(below) && Number(above) > 0) {
      const [one, many] = parts;
      const gender = /a$/.test(one) ? 'feminine' : tag === 'de' || tag === 'nl' ? 'neuter' : 'masculine';
      const part = join(whole(above, formOf(tag === 'da' ? 'common' : gender)), above === '1' ? one : many);
      return signed(sign, digits === undefined ? part : join(whole(digits, base), own.and ?? '', part));
    }
    const [, demi] = /^un (demi)$/.exec(own.half ?? '') ?? [own.halves?.masculine, own.halves?.masculine];
    if (above === '1' && below === '2' && digits !== undefined && own.and !== undefined && demi !== undefined)
      return signed(sign, join(whole(digits, base), own.and, demi));
    if (above === '1' && below === '2' && own.half !== undefined)
      return signed(sign, digits === undefined ? own.half : `${whole(digits, base)}${gap}${own.half}`);
    if (own.over === undefined) return undefined;
    const part =
      tag === 'ja' || tag === 'ko'
        ? join(whole(below, base), own.over, whole(above, base))
        : join(whole(above, base), own.over, whole(below, base));
    return signed(sign, join(digits === undefined ? '' : whole(digits, base), part));
  }

  function datePattern(day: string, month: string, year: string | undefined): string {
    const key = year === undefined ? 'day' : 'year';
    const parts = dateParts.get(key) ?? partsOfDate(tag, key);
    dateParts.set(key, parts);
    return parts
      .map(({ type, value }) =>
        type === 'day' ? day : type === 'month' ? month : type === 'year' ? (year ?? '') : value,
      )
      .join('')
      .replace(/\s{2,}/g, ' ')
      .trim();
  }
}

/** The order of a date's parts, and what stands between them. */
function partsOfDate(tag: string, last: 'day' | 'year'): readonly Intl.DateTimeFormatPart[] {
  const format = new Intl.DateTimeFormat(icuTag(tag), {
    calendar: 'gregory',
    numberingSystem: 'latn',
    timeZone: 'UTC',
    day: 'numeric',
    month: 'long',
    ...(last === 'day' ? {} : { year: 'numeric' }),
  });
  return (
    format
      .formatToParts(new Date(Date.UTC(2025, 0, 15)))
      .filter(({ type }) => type !== 'era')
      // Older ICU writes a Burmese comma after the year, newer doesn't.
      .map(({ type, value }) => ({
        type,
        value: type === 'literal' ? value.replace(/\.|г\.|年|月|日|၊/gu, '') : value,
      }))
  );
}

const created = new Map<string, Language>([
  ['en', english],
  ['zh', chinese],
]);
const aliases: Readonly<Record<string, string>> = {
  cmn: 'zh',
  yue: 'zh',
  no: 'nb',
  nn: 'nb',
  fil: 'tl',
  iw: 'he',
  in: 'id',
};

/** The language of a BCP 47 tag, if numbers of it can be said. */
export function findLanguage(tag: string): Language | undefined {
  const [primary = ''] = tag.toLowerCase().split(/[-_]/);
  const name = aliases[primary] ?? primary;
  const known = created.get(name);
  if (known !== undefined || settings[name] === undefined) return known;
  const language = createLanguage(name);
  created.set(name, language);
  return language;
}
