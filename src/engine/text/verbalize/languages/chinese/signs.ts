/** Signs between Chinese words, and what they are said as. */

import { signsOf } from '../../../table.ts';
import { greekLettersWith } from '../../classes/maths.ts';
import { readUnit } from '../../classes/measures.ts';
import { patternClass, tokenClass } from '../../place.ts';
import { unitName } from './units.ts';

export const operatorWords = signsOf(`
  per 每|to 到|-> 到|or 或|+ 加|- 减|− 减|= 等于|== 等于|× 乘以|* 乘以|· 乘|⋅ 乘|÷ 除以|< 小于|> 大于|≈ 约等于|~= 约等于|≠ 不等于|!= 不等于|≥ 大于等于|>= 大于等于|
  ≤ 小于等于|<= 小于等于|± 正负|√ 根号|∛ 三次根号|∞ 无穷大|∑ 求和|∫ 积分|≡ 恒等于|∝ 正比于|∈ 属于|∉ 不属于|∪ 并|∩ 交|≪ 远小于|≫ 远大于|∴ 所以
`);

export const greekLetters = greekLettersWith(
  '阿尔法 贝塔 伽马 德尔塔 艾普西隆 泽塔 伊塔 西塔 约塔 卡帕 兰姆达 缪 纽 克西 奥米克戎 派 柔 西格玛 陶 宇普西隆 斐 希 普西 欧米伽',
);

/** `每km` */
export const perUnits = tokenClass({ begins: ['letter'], isGlued: true }, (cursor, place) => {
  if (!place.before.endsWith('每')) return undefined;
  const unit = readUnit(cursor, place.language);
  return unit === undefined ? undefined : unitName(unit);
});

/** `3000+人`, `5w+` */
export const andMore = patternClass(
  { begins: ['sign'], behind: /[\dwW万亿千百]$/u, isGlued: true },
  /\+(?=\p{sc=Han}|[，。、；）)]|$)/uy,
  (_, { before }) => (/[1-9]$/.test(before) ? '加' : '多'),
);

/** `按#键` */
export const signKeys = patternClass({ begins: ['sign'], isGlued: true }, /[#*＃＊]号?(?=\s?(?:键|结束))/uy, ([key]) =>
  /[#＃]/.test(key) ? '井号' : '星号',
);

/** `-百分之1` */
export const minusPercent = patternClass({ begins: ['sign'] }, /[-−](?=[百千万]分之)/uy, () => '负');
