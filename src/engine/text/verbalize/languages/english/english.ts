/** How English is written and spoken. American, where varieties differ. */
import { pattern } from '../../../pattern.ts';
import { mapOf } from '../../../table.ts';
import { addresses, socialNames } from '../../classes/addresses.ts';
import { capitalWords } from '../../classes/capitals.ts';
import { namedDates, numericDates } from '../../classes/dates.ts';
import { identifiers } from '../../classes/identifiers.ts';
import { numbersInOrder } from '../../classes/in-order.ts';
import { greekLettersWith } from '../../classes/maths.ts';
import { countsPer } from '../../classes/measures.ts';
import { ordinalsWith } from '../../classes/numbers.ts';
import { type RomanCues, romansWith } from '../../classes/romans.ts';
import { telephones } from '../../classes/telephones.ts';
import { times } from '../../classes/times.ts';
import { shortYears, years } from '../../classes/years.ts';
import type { Language, Place } from '../../language.ts';
import { abbreviations, letters } from './abbreviations.ts';
import {
  businessYears,
  calendarNames,
  dateDashes,
  decades,
  isYear,
  militaryTimes,
  months,
  weekdays,
} from './calendar.ts';
import { beforeCapitals, isHouseNumber, namesWithCapitals, numberedNames, ordinalStreets } from './names.ts';
import { century, say, sayAmount, sayNumeral, spelling, unitNames } from './say.ts';
import { codeNames, ownAmounts, rates, signWords } from './signs.ts';

const royals =
  'Henry|Louis|Charles|Elizabeth|George|Edward|William|James|John|Paul|Pius|Benedict|Leo|Francis|Philip|Catherine|Peter|Nicholas|Alexander|Frederick|Ferdinand|Ramesses|Ramses|Napoleon|Wilhelm|Friedrich|Gustav|Olav|Haakon|Harald|Christian|Carlos|Felipe|Juan|Mary|Richard|Robert|Alfonso|Umberto|Emmanuel|Ivan|Otto|Leopold|Albert|Carl|Karl|Franz|Constantine|Cleopatra|Ptolemy|Darius|Xerxes|Artaxerxes|Thutmose|Amenhotep|Seti|Sixtus|Gregory|Innocent|Clement|Urban|Julius|Boniface|Celestine|Stephen|Baldwin|Rama|Mehmed|Murad|Selim|Ahmed|Abdul|Hassan|Mohammed|Margrethe|Beatrix|Isabella|Joseph|Rudolf|Maximilian|Sigismund|Casimir|Stanislaus|Bela|Ladislaus|Matthias|Michael|Boris|Simeon|Vladimir|Yaroslav|Basil|Justinian|Theodosius|Valentinian|Tiberius|Antiochus|Seleucus|Nebuchadnezzar|Cyrus|Shapur|Khosrow|Suleiman|Bayezid|Osman|Kamehameha|Pedro|Manuel|Afonso|Sancho|Kenneth|Duncan|Eric|Erik|Magnus|Sverre|Canute|Valdemar|Alexios|Faisal|Abdullah|Hussein|Farouk|Fuad|Jigme|Norodom|Elisabeth|Frederik|Willem|Ludwig|Heinrich|Hadrian|Adrian|Callixtus|Eugene|Honorius|Martin|Victor|Pope|King|Queen';
const titleNames =
  'King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Prince|Princess|Sultan|Pharaoh|Duke|Archduke|Sir|Lord|Saint|Shah|Patriarch';
const counted =
  'chapter|part|volume|vol\\.|book|act|scene|section|article|appendix|phase|stage|war|super bowl|bowl|wrestlemania|rocky|final fantasy|mark|mk|title|unit|episode|season|game|round|tier|category|figure|fig\\.|table|kapitel|teil|band|apollo|saturn|vatican|type|class|grade|level|lesson|exhibit|canto|sonata|symphony|movement|op\\.|psalm|amendment|generation|schedule|corps|olympiad|zone|group|factor|division|step|pentium|windows|gemini|soyuz|module|rome|page|rule|form|nerve|quadrant|region|annex|protocol|clause|paragraph|series|variation|nocturne|prelude|etude|document|plate|note|trial|wave|day|week|iteration|version|model|tome|livre|chapitre|cap[ií]tulo|capitolo';
const romanCues: RomanCues = {
  counted: pattern('iu')`(?<![\p{L}\p{M}])(?:${counted})s?\s$|(?:${counted})s\s[IVX]{1,6}\s(?:and|to|or|&)\s$`,
  countedLetter:
    /(?<![\p{L}\p{M}])(?:CHAPTER|Chapter|chapter|Act|ACT|act|Scene|SCENE|War|WAR|Volume|VOLUME|Phase|Stage|Apollo|Saturn|Kapitel|Appendix|Lesson|Canto|Exhibit|Tier|Category|Type|Class|Level|Grade|Bowl|Article|Section|SECTION|Part|PART|Book|BOOK|Episode|Round|Title|Amendment|Symphony|Unit|Division|Mark|Mk|Vatican|Schedule|Generation|Annex|Factor)\s$/u,
  ruler: pattern(
    'u',
  )`(?<![\p{L}\p{M}])(?:${royals})\s(?:the\s|\p{Lu}[\p{L}’']{1,20}\s)?$|(?<![\p{L}\p{M}])(?:${titleNames})(?:\s\p{Lu}[\p{L}’']{1,20}){1,2}\s$`,
  rulerLetter: pattern('u')`(?<![\p{L}\p{M}])(?:${titleNames})(?:\s\p{Lu}[\p{L}’']{1,20}){1,2}\s$`,
  century,
};

const telephoneWords =
  'text \\w{2,12} to|call|calls|called|dial|dialed|dialing|phone|phones|telephone|tel|tel\\.|fax|mobile|cell|hotline|text|texted|ring|whatsapp|sms|contact|reach|extension|ext\\.?';
const strongNames =
  'pin|pin code|code|zip|zip code|postcode|postal code|passcode|password|otp|cvv|area code|extension|ext\\.?|flight|locker|combination|digits|ending in|ending with|ends in|ends with|ending|dial code|access code|promo code|verification code|error code|error|bus route';
const weakNames =
  'order|tracking|card|account|acct\\.?|id|ids|number|numbers|no\\.?|nos\\.?|serial|serial number|reference|ref\\.?|case|ticket|invoice|confirmation|booking|reservation|policy|passport|license|licence|ssn|isbn|issn|iban|ean|upc|vin|imei|model|part|routing|member|membership|customer|tax|vat|ein|receipt|case number|shipment|package|parcel|transaction|registration|certificate|voucher|coupon|barcode|sku|item|file|record|badge|employee|student|patient|claim|docket|purchase order|po|p\\.o\\.|box|train';
const between = String.raw`(?:['’]s)?(?:\s(?:number|no\.?|code|id|#))?(?:\s(?:is|was|are|reads|to))?(?:\s?[:#=]{1,2})?\s?(?:number\s|no\.\s)?#?`;

/** `75F` is warm, `12F` a seat; `20C` may be one. */
const isNoMeasure = ({ text, start }: Place, end: number): boolean =>
  isHouseNumber(text, start) ||
  (/^\d{1,2}(?:F|C)$/.test(text.slice(start, end)) && !/^(?:[6-9]\d)F$/.test(text.slice(start, end)));

const greekLetters = greekLettersWith(
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega',
);

/** In one class, as most words of a text have no capital. */
const capitalizedNames = beforeCapitals([...calendarNames, ...namesWithCapitals]);

export const english: Language = {
  tag: 'en',
  decimalMark: '.',
  dateOrder: 'mdy',
  shortDateOrder: 'mdy',
  months,
  weekdays,
  magnitudes: mapOf(`
    hundred=hundred|thousand=thousand|lakh=lakh|crore=crore|million=million|billion=billion|trillion=trillion|
    quadrillion=quadrillion|mio=million|mrd=billion|mn=million|mln=million|bn=billion|trn=trillion|tn=trillion
  `),
  moneyMagnitudes: mapOf(`
    k=thousand|K=thousand|m=million|M=million|mm=million|mil=million|mill=million|MM=million|b=billion|B=billion|
    t=trillion|T=trillion|mn=million|mln=million|bn=billion|Bn=billion|BN=billion|tn=trillion
  `),
  currencies: mapOf('p=pence|dollars=$|euros=EUR'),
  units: mapOf(`
    in=inch|ly=light-year|c.=cup|lb-ft=foot-pound|ft-lb=foot-pound|ft-lbs=foot-pound|F=fahrenheit|C=celsius|mo=month|
    pt=point|pts=point
  `),
  isYear,
  isNoMeasure,
  cues: {
    // A ZIP code follows.
    postalCode:
      /(?:,|\p{Ll})\s(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),?\s$/u,
    date: /(?<!\p{L})(?:(?:on|until|till|ends|ended|due|dated|starts?|starting|begins|since|before|after|through|thru|from|by|ships|shipping|expires|exp\.?|valid|available|avail\.?|effective|eff\.)\s|(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|nesday|rsday|urday)?\.?,?\s\(?)$/iu,
    score: /(?<!\p{L})(?:odds of|ratio of|ratio is|ratio)\s$/iu,
    name: /(?<!\p{L})(?:(?:code|passcode|password|pin|otp|conference id|meeting id)(?:\sis|:)?|issn|isbn|ssn|ein|vin|serial(?: number)?|tracking(?: number)?|invoice|case(?: number)?|order)\s?(?:is\s|[:#]\s?)?#?$/iu,
    telephone: pattern('iu')`(?<!\p{L})(?:${telephoneWords})${between}(?:(?:me|us|him|her|them|at|on|to)\s){0,2}$`,
    identifier: pattern('iu')`(?<!\p{L})(?:${weakNames}|${strongNames})${between}$`,
    shortIdentifier: pattern('iu')`(?<!\p{L})(?:${strongNames})${between}$`,
  },
  classes: [
    ...[addresses, socialNames, abbreviations, capitalizedNames, dateDashes, ordinalStreets, codeNames],
    ...[...numberedNames, militaryTimes, ...ownAmounts, signWords, romansWith(romanCues), namedDates, numericDates],
    ...[identifiers, times, decades, years, shortYears, telephones],
    ...numbersInOrder({
      amounts: [rates, countsPer((of) => ` per ${unitNames({ of })[0]}`)],
      ordinals: [
        ordinalsWith(
          /(?:(?:st|nd|rd|th|ST|ND|RD|TH|ˢᵗ|ⁿᵈ|ʳᵈ|ᵗʰ|º|ª)(?![\p{L}\d])|(?<=(?<!1)[23])d(?= \p{Lu}\p{Ll}))/uy,
        ),
      ],
      signs: [greekLetters],
      others: [letters, businessYears],
    }),
    capitalWords,
  ],
  spelling,
  sayNumeral,
  sayAmount,
  say,
};
