import { expect, it } from '@jest/globals';
import { voiceNamesOf } from '../../src/voices/script-voices.ts';

it.each([
  ['Anna=anna,Ben=ben', { Anna: 'anna', Ben: 'ben' }],
  [' Anna  Lee = anna-lee , Ben=a=b ', { 'Anna  Lee': 'anna-lee', Ben: 'a=b' }],
  ['Anna', undefined],
  ['Anna=', undefined],
  ['=anna', undefined],
  ['Anna=anna,', undefined],
  ['', undefined],
])('reads the voices of %j', (text, expected) => expect(voiceNamesOf(text)).toEqual(expected));

it.each([
  ['white space', ' '.repeat(65_000)],
  ['a name in white space', `a${' '.repeat(65_000)}b`],
  ['a voice in white space', `a=b${' '.repeat(65_000)}c`],
  ['equals signs', '='.repeat(65_000)],
])('reads %s in linear time', (_, text) => {
  const { user } = process.cpuUsage();
  voiceNamesOf(text);
  // Backtracking took seconds for 1,500 characters.
  expect(process.cpuUsage().user - user).toBeLessThan(200_000);
});
