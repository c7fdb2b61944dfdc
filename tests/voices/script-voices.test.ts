import { expect, it } from '@jest/globals';
import { parseVoiceNames, voiceNamesOf } from '../../src/voices/script-voice-names.ts';
import { casesIn } from '../support/rows.ts';
import { countedCopy, growthOf } from '../support/work.ts';

const counted = await countedCopy<typeof import('../../src/voices/script-voice-names.ts')>(
  'src/voices/script-voice-names.ts',
);

it.each(casesIn('tests/voices/cases.tsv')('voices of a script'))('reads the voices of $given', ({ given, expected }) =>
  expect(JSON.stringify(voiceNamesOf(given)) ?? '').toBe(expected),
);

it('adds the voices of another option, and refuses a speaker twice', () => {
  expect(parseVoiceNames('Anna=anna', '--voices', { Ben: 'ben' })).toEqual({ Ben: 'ben', Anna: 'anna' });
  expect(() => parseVoiceNames('Anna=anna,ben=b', '--voices', { Ben: 'ben' })).toThrow(
    '--voices names the speaker "ben" twice',
  );
  expect(() => parseVoiceNames('Anna', '--voices')).toThrow(
    '--voices must be pairs of a speaker and a voice such as Anna=anna,Ben=ben, got "Anna"',
  );
});

it.each([
  ['white space', (length: number) => ' '.repeat(length)],
  ['a name in white space', (length: number) => `a${' '.repeat(length)}b`],
  ['a voice in white space', (length: number) => `a=b${' '.repeat(length)}c`],
  ['equals signs', (length: number) => '='.repeat(length)],
  ['pairs', (length: number) => 'a=b,'.repeat(length / 4)],
])('reads %s in linear time', async (_, textOf) => {
  expect(await growthOf((length) => counted.voiceNamesOf(textOf(length)), 4_000, 16_000)).toBeLessThan(4.3);
});
