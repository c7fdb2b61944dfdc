/** Signs between two values: the slash of alternatives, as in `Windows 10/11` and `350°F/180°C`, and the arrow of a change. */
import { pattern } from '../../pattern.ts';
import type { Place } from '../language.ts';
import { cursorAt, isBehind, isNext, take, tokenClass } from '../place.ts';

/** Programs and standards, whose numbers are versions. */
const programs = String.raw`C#|F#|C\+\+|\.NET|Windows|iOS|iPadOS|macOS|watchOS|tvOS|Android|Ubuntu|Debian|Fedora|Office|Python|Java|Ruby|Swift|Node(?:\.js)?|PHP|Qt|USB|HTTP|DDR|Wi-?Fi|PCIe|Windows Server`;
/** Names that are counted: what follows a slash is another one. */
const counted = pattern(
  'u',
)`(?<!\p{L})(?:${programs}|RTX|GTX|RX|Ryzen|Radeon|GeForce|Core|PlayStation|PS|Xbox|iPhone|iPad|Galaxy|Pixel|Switch|Levels?|Grades?|Class(?:es)?|Types?|Klassen?|Stufen?|Typ|Rooms?|Gates?|Zimmer|Raum|Gleis|Linien?|Bus|Kapitel|Kap\.|Chapters?|Seiten?|Pages?|Groups?|Gruppen?|Zones?|Zonen?|Versions?|Nivel|Niveau|Livello|Clase|Classe|Jahre|années|años|anos|anni|jaren)\s$`;
/** Before the version of a program, or behind another: `Python 3.11/3.12`, `3.9 to 3.12`. */
export const programBefore = pattern(
  'u',
)`(?<!\p{L})(?:${programs}|Django|React|Go|Rust|Kotlin|TypeScript|PostgreSQL|MySQL|Redis|Kubernetes|Linux|Firefox|CUDA|TLS|Bluetooth)\s(?:\d{1,3}\.\d{1,3}(?:/|, | (?:->|to|and|or|bis|und|oder|à|et|ou|y|o|a|e|до|и|или) ))?$`;
const named = /(?<=[\p{L},;:)]\s?)(?<!\p{L})\p{Lu}[\p{L}.]{1,20}\s$/u;
const numbers =
  /(\d{1,4}(?:\.\d{1,3})?)((?:\/\d{1,4}(?:\.\d{1,3})?)?)\/(\d{1,4}(?:\.\d{1,3})?)(?![\d/]|[.,]\d|%|(?!(?:XT|Ti|[A-Z])(?!\p{L}))[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}])/uy;

const capital = /(?<!\p{L})\p{Lu}[\p{L}.-]{1,20}\s$/u;
/** `5600/5800`: numbers of three and more digits of one series. */
const isModels = (first: string, last: string): boolean =>
  /^\d{3,4}$/.test(first) &&
  first.length === last.length &&
  first[0] === last[0] &&
  Number(first) < Number(last) &&
  !/^\d(?:00|000)$/.test(last);

const backBy = (place: Place, length: number): Place => ({
  ...place,
  start: place.start - length,
  before: place.before.slice(0, -length),
});
const alternativeBefore = /(?<![\d./])\d{1,4}(?:\.\d{1,3})?\/$/;

/** Whether a slash between numbers that begin here stands for "or", rather than for a fraction. */
export function isAlternative(place: Place): boolean {
  const [previous] = place.before.endsWith('/') ? (alternativeBefore.exec(place.before) ?? []) : [];
  if (previous !== undefined) return isAlternative(backBy(place, previous.length));
  const [, first = '', middle = '', last = ''] = take(cursorAt(place), numbers) ?? [];
  if (first === '') return false;
  const isNamed = isBehind(place, counted);
  const isYears = /^(?:19|20)\d\d$/.test(first) && /^(?:19|20)\d\d$/.test(last);
  if (first.includes('.') || last.includes('.'))
    return first.includes('.') && last.includes('.') && (middle.includes('.') || isNamed || isBehind(place, named));
  if (middle !== '' && !isNamed) return false;
  if (isYears || isNamed) return Number(first) < Number(last) && (isNamed || isBehind(place, named));
  if (isModels(first, last) && isBehind(place, capital)) return true;
  return Number(first) >= 10 && Number(last) === Number(first) + 1 && isBehind(place, named);
}

/** Units that measure the same. */
const quantities: readonly string[] = [
  '°C °F C F K',
  'km mi m ft cm in mm yd',
  'kg lb lbs g oz st',
  'l L gal ml mL cl qt pt fl cups',
  'km/h mph kmh kph',
];
const unitBefore = /\d ?(°?\p{L}{1,4}(?:\/h)?) ?$/u;
const unitBehind = /\/ ?(?:\d{1,6}(?:[.,]\d{1,3})?)(?:[-–]\d{1,6}(?:[.,]\d{1,3})?)? ?(°?\p{L}{1,4}(?:\/h)?)(?!\p{L})/uy;
const nameBefore = /(?<![\p{L}\d])(\p{Lu}\p{L}{0,8})-?\d{1,4}$/u;
const nameBehind = /\/(\p{Lu}\p{L}{0,8})-?\d/uy;
const modelBefore = /(?<![\d.])(\d{3,4})(?:XT|Ti|[A-Z])$/;
const modelBehind = /\/(\d{3,4})(?![\d.,])/y;
const numberBefore = /\d$/;

function isSlashOfAlternatives(place: Place): boolean {
  const { text, start, before } = place;
  const [, unit] = unitBefore.exec(before) ?? [];
  if (unit !== undefined) {
    const [, other] = take({ text, at: start }, unitBehind) ?? [];
    if (other !== undefined && quantities.some((all) => [unit, other].every((one) => all.split(' ').includes(one))))
      return true;
  }
  const [, name] = nameBefore.exec(before) ?? [];
  if (name !== undefined && take({ text, at: start }, nameBehind)?.[1] === name) return true;
  // `5700XT/5800XT`
  const [, model = ''] = modelBefore.exec(before) ?? [];
  if (model !== '' && isModels(model, take({ text, at: start }, modelBehind)?.[1] ?? '')) return true;
  if (!numberBefore.test(before)) return false;
  const [digits = ''] = /[\d.]{1,8}$/.exec(before) ?? [];
  return isAlternative(backBy(place, digits.length));
}

const arrow = / ?-> ?(?=[-+~≈v(]?[A-Z]{0,3}\p{Sc}? ?\d|\p{L}{2,9} \d)/uy;
const valueBefore = /[\p{L}\d%°²³\p{Sc}.)] ?$/u;

/** `3 €/100 g`, `$3/1M tokens` */
const priceBefore = /(?:\d ?(?:\p{Sc}|[A-Z]{3}|kr\.?|zł|руб\.?|TL)|\p{Sc} ?\d{1,6}(?:[.,]\d{1,2})?) ?$/u;
const amountBehind = /\/ ?(?=\d{1,4}(?: ?(?:k?[gmlLh]|[cm][lmL]|mg|min|km|kWh)(?!\p{L})|[kKMB]? \p{L}{4}))/uy;

export const betweenValues = tokenClass({ begins: 'sign', signs: '/-' }, (cursor, place) => {
  if (isNext(place.text, place.start, / ?->/y))
    return valueBefore.test(place.before) && take(cursor, arrow) !== undefined
      ? { kind: 'operator', sign: '->' }
      : undefined;
  if (place.text[place.start] !== '/') return undefined;
  if (priceBefore.test(place.before) && take(cursor, amountBehind) !== undefined)
    return { kind: 'operator', sign: 'per' };
  if (!isSlashOfAlternatives(place)) return undefined;
  cursor.at += 1;
  take(cursor, / /y);
  return { kind: 'operator', sign: 'or' };
});

/** "or" or "and" of a language, as `Intl` has it for lists, with its spaces. */
export function listWord(tag: string, type: 'disjunction' | 'conjunction'): string {
  const parts = new Intl.ListFormat(tag, { type }).formatToParts(['1', '2']);
  return parts.find(({ type }) => type === 'literal')?.value ?? ' / ';
}
