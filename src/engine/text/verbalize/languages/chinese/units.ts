/** Units of Chinese. */

import { tableOf } from '../../../table.ts';
import type { Amount, CompoundUnit, Unit } from '../../semiotic.ts';
import { sayAmountWith, sayCount } from './numbers.ts';

const prefixNames = Object.entries(
  tableOf('pico=皮|nano=纳|micro=微|milli=毫|centi=厘|deci=分|hecto=百|kilo=千|mega=兆|giga=吉|tera=太|peta=拍'),
);
const unitNames = tableOf(`
  meter=米|kilometer=公里|light-year=光年|ten-thousand=万|floor=楼|gram=克|liter=升|second=秒|minute=分钟|hour=小时|day=天|week=周|month=个月|
  year=年|hertz=赫兹|kilohertz=千赫|megahertz=兆赫|gigahertz=吉赫|watt=瓦|watt-hour=瓦时|volt=伏|ampere=安|ampere-hour=安时|joule=焦耳|newton=牛|
  pascal=帕|bar=巴|byte=字节|bit=比特|calorie=卡|ohm=欧姆|farad=法拉|electronvolt=电子伏特|mole=摩尔|tonne=吨|ton=吨|pixel=像素|hectare=公顷|acre=英亩|
  celsius=摄氏度|fahrenheit=华氏度|kelvin=开尔文|degree=度|decibel=分贝|lux=勒克斯|lumen=流明|candela=坎德拉|radian=弧度|mile=英里|yard=码|foot=英尺|
  inch=英寸|pound=磅|ounce=盎司|gallon=加仑|quart=夸脱|pint=品脱|teaspoon=茶匙|tablespoon=汤匙|fluid-ounce=液盎司|square-meter=平方米|
  square-kilometer=平方公里|cubic-meter=立方米|square-foot=平方英尺|cubic-foot=立方英尺|square-mile=平方英里|square-inch=平方英寸|
  cubic-centimeter=立方厘米|horsepower=马力|knot=节|atmosphere=标准大气压|millimeter-ofhg=毫米汞柱|part-per-million=PPM|part-per-billion=PPB|
  frame-per-second=帧每秒|revolution-per-minute=转每分钟|beat-per-minute=次每分钟|dot-per-inch=点每英寸|pixel-per-inch=像素每英寸|
  mile-per-gallon=英里每加仑|pound-force-per-square-inch=磅每平方英寸|arc-minute=分|arc-second=秒|megapixel=百万像素|mile-per-hour=英里每小时|
  liter-per-100-kilometer=升每百公里
`);

export function simpleUnit(id: string): string {
  const known = unitNames[id];
  if (known !== undefined) return known;
  const [of = '', per] = id.split('-per-');
  if (per !== undefined) return `${simpleUnit(of)}每${simpleUnit(per)}`;
  for (const [prefix, name] of prefixNames)
    if (id.startsWith(prefix)) return name + simpleUnit(id.slice(prefix.length));
  return id;
}
const powered = ({ id, power }: Unit): string =>
  `${power === 2 ? '平方' : power === 3 ? '立方' : ''}${simpleUnit(id)}${power !== undefined && power !== 2 && power !== 3 ? `的${power}次方` : ''}`;
export const unitName = ({ of, per }: CompoundUnit): string => {
  if (per === undefined) return powered(of);
  const below = /^(?:second|minute|hour)$/.test(per.id) && per.power === 2 ? `${simpleUnit(per.id)}平方` : powered(per);
  return `${powered(of)}每${below}`;
};
export const sayUnit = (amount: Amount, unit: CompoundUnit): string =>
  `${sayAmountWith(sayCount, amount)}${unitName(unit)}`;
