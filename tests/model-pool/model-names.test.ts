import { expect, it } from '@jest/globals';
import { createModelNames } from '../../src/model-pool/model-names.ts';

const names = ['small', 'large'];
const aliases = new Map([['tts-1', 'small']]);

it('finds names and aliases, and the first model without one', () => {
  const models = createModelNames({ names, aliases, match: 'exact' });
  const found = [undefined, null, '', 'small', 'tts-1', 'large'].map(models.resolve);
  expect(found).toEqual(['small', 'small', 'small', 'small', 'small', 'large']);
  const message = 'unknown model "larg" (available: small, large, tts-1); did you mean "large"?';
  expect(() => models.resolve('larg')).toThrow(message);
  expect(models.find('other')).toBeUndefined();
  expect(models.aliasesOf('small')).toEqual(['tts-1']);
});

it('takes any name for a single model', () => {
  expect(createModelNames({ names: ['small'], aliases, match: 'any' }).resolve('gpt-4o-mini-tts')).toBe('small');
});

it.each([
  [['a', 'a'], [], 'two models have the name "a"; name one with --model NAME=PATH'],
  [['a'], [['x', 'b']], '--alias x=b: unknown model "b" (available: a)'],
  [['a', 'b'], [['b', 'a']], '--alias b=a: "b" is the name of a model'],
] as const)('refuses %j with aliases %j', (given, pairs, message) => {
  expect(() => createModelNames({ names: given, aliases: new Map(pairs), match: 'exact' })).toThrow(message);
});
