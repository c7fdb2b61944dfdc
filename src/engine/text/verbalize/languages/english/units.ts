/** Units of English in words. */

import { tableOf } from '../../../table.ts';
import type { Place } from '../../language.ts';
import { isOne, numberOf } from '../../numerals.ts';
import { isNext } from '../../place.ts';
import type { Amount, CompoundUnit, Unit } from '../../semiotic.ts';
import { sayAmount, sayWhole } from './numbers.ts';

const irregular = new Map(
  Object.entries(
    tableOf(`
      ohm=ohm/ohms|kiloohm=kilohm/kilohms|megaohm=megohm/megohms|
      liter-per-100-kilometer=liter per one hundred kilometers/liters per one hundred kilometers|foot=foot/feet|
      inch=inch/inches|hertz=hertz/hertz|kilohertz=kilohertz/kilohertz|celsius=degree Celsius/degrees Celsius|
      fahrenheit=degree Fahrenheit/degrees Fahrenheit|kelvin=kelvin/kelvins|horsepower=horsepower/horsepower|lux=lux/lux|
      tonne=ton/tons|ton=ton/tons|millimeter-ofhg=millimeter of mercury/millimeters of mercury|
      pound-force-per-square-inch=pound per square inch/pounds per square inch|siemens=siemens/siemens|
      part-per-million=part per million/parts per million|part-per-billion=part per billion/parts per billion|
      arc-minute=minute/minutes|arc-second=second/seconds|fluid-ounce=fluid ounce/fluid ounces|
      foot-pound=foot-pound/foot-pounds
    `),
  ).map(([id, names]) => [id, names.split('/') as [one: string, many: string]]),
);
const invariable = /hertz$/;

function englishUnit(id: string): readonly [one: string, many: string] {
  const known = irregular.get(id);
  if (known !== undefined) return known;
  const [of = '', per] = id.split('-per-');
  const words = of.replaceAll('-', ' ');
  const many = invariable.test(words)
    ? words
    : (irregular.get(of)?.[1] ??
      (/foot$/.test(words) ? words.replace(/foot$/, 'feet') : /inch$/.test(words) ? `${words}es` : `${words}s`));
  return per === undefined ? [words, many] : [`${words} per ${per}`, `${many} per ${per}`];
}

function powered([one, many]: readonly [string, string], { id, power }: Unit): readonly [string, string] {
  if (power === undefined) return [one, many];
  const isLength = /meter|foot|inch|mile|yard/.test(id);
  if (isLength && (power === 2 || power === 3)) {
    const name = power === 2 ? 'square' : 'cubic';
    return [`${name} ${one}`, `${name} ${many}`];
  }
  const behind =
    power === 2 ? 'squared' : power === 3 ? 'cubed' : `to the power of ${sayWhole(String(Math.abs(power)))}`;
  return [`${one} ${behind}`, `${many} ${behind}`];
}

export const unitNames = ({ of, per }: CompoundUnit): readonly [one: string, many: string] => {
  const [one, many] = powered(englishUnit(of.id), of);
  if (per === undefined) return [one, many];
  const [below] = powered(englishUnit(per.id), per);
  return [`${one} per ${below}`, `${many} per ${below}`];
};

export const sayUnit = (amount: Amount, unit: CompoundUnit, use?: 'attribute'): string => {
  // Rates of interest change by basis points; nothing sends so few bits.
  const isRate = unit.of.id === 'bit-per-second' && numberOf(amount.last ?? amount.first) < 1000;
  const [one, many] = isRate ? ['basis point', 'basis points'] : unitNames(unit);
  return `${sayAmount(amount)} ${use === 'attribute' || isOne(amount) ? one : many}`;
};

export const article = /(?<!\p{L})(?:an?|the|this|that|his|her|our|their|my|your|another|every|one)\s$/iu;
export const describedNoun =
  /\s(?!(?:and|or|but|in|on|at|to|by|with|from|for|tall|high|wide|long|deep|is|was|as|than|x)(?!\p{L}))\p{Ll}/uy;
/** `a 5 km run`, whose unit is singular. */
export const attributeAt = ({ text, before }: Place, end: number): 'attribute' | undefined =>
  /(?<!\p{L})an?\s(?:\d{1,3}-\p{Ll}{2,9},?\s)?$/iu.test(before) && isNext(text, end, /\s\p{Ll}/uy)
    ? 'attribute'
    : undefined;
