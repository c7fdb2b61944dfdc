/** Units of English in words. */

import { tableOf } from '../../../table.ts';
import type { Place } from '../../language.ts';
import { isOne, numberOf } from '../../numerals.ts';
import { isNext } from '../../place.ts';
import type { Amount, CompoundUnit, Unit } from '../../semiotic.ts';
import { sayAmount, sayWhole } from './numbers.ts';

/** One and many, if they differ. */
const irregular = tableOf(`
  ohm=ohm/ohms|kiloohm=kilohm/kilohms|megaohm=megohm/megohms|foot=foot/feet|inch=inch/inches|kelvin=kelvin/kelvins|
  liter-per-100-kilometer=liter per one hundred kilometers/liters per one hundred kilometers|horsepower=horsepower|lux=lux|
  celsius=degree Celsius/degrees Celsius|fahrenheit=degree Fahrenheit/degrees Fahrenheit|tonne=ton/tons|ton=ton/tons|
  millimeter-ofhg=millimeter of mercury/millimeters of mercury|siemens=siemens|foot-pound=foot-pound/foot-pounds|
  pound-force-per-square-inch=pound per square inch/pounds per square inch|fluid-ounce=fluid ounce/fluid ounces|
  part-per-million=part per million/parts per million|part-per-billion=part per billion/parts per billion|
  arc-minute=minute/minutes|arc-second=second/seconds
`);

type Names = readonly [one: string, many: string];
function englishUnit(id: string): Names {
  const [known, plural = known] = irregular[id]?.split('/') ?? [];
  if (known !== undefined && plural !== undefined) return [known, plural];
  const [of = '', per] = id.split('-per-');
  const one = of.replaceAll('-', ' ');
  const regular = /hertz$/.test(one) ? one : /inch$/.test(one) ? `${one}es` : `${one}s`.replace(/foots$/, 'feet');
  const many = irregular[of]?.split('/').at(-1) ?? regular;
  return per === undefined ? [one, many] : [`${one} per ${per}`, `${many} per ${per}`];
}

function powered([one, many]: Names, { id, power }: Unit): Names {
  if (power === undefined) return [one, many];
  const square = power === 2 ? ['square', 'squared'] : power === 3 ? ['cubic', 'cubed'] : [];
  const [before, behind = `to the power of ${sayWhole(String(Math.abs(power)))}`] = square;
  if (before !== undefined && /meter|foot|inch|mile|yard/.test(id)) return [`${before} ${one}`, `${before} ${many}`];
  return [`${one} ${behind}`, `${many} ${behind}`];
}

export const unitNames = ({ of, per }: CompoundUnit): Names => {
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
