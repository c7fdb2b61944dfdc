import { expect, it } from '@jest/globals';
import { didYouMean } from '../src/messages.ts';

it.each([
  ['q4_kk', ['q8_0', 'q4_k', 'f16'], '; did you mean "q4_k"?'],
  ['promt_text', ['promptText', 'prompt_text'], '; did you mean "prompt_text"?'],
  ['language', ['text', 'voice'], ''],
  ['anna', ['alma', 'jonas'], ''],
  ['ana', ['ben', 'anna'], '; did you mean "anna"?'],
  ['Bne', ['Anna', 'Ben'], '; did you mean "Ben"?'],
  ['txet', ['text'], '; did you mean "text"?'],
  ['ab', ['ba'], '; did you mean "ba"?'],
  ['abcd', ['badc'], ''],
  ['x', ['y'], ''],
  ['x'.repeat(10_000_000), ['voice'], ''],
  ['text', [], ''],
  ['text', ['input', 'voice'], '; did you mean "input"?'],
  ['input', ['id', 'text'], '; did you mean "text"?'],
  ['format', ['response_format'], '; did you mean "response_format"?'],
  ['constructor', ['input'], ''],
])('suggests for %.20s of %j: "%s"', (given, names, suggestion) => {
  expect(didYouMean(given, names)).toBe(suggestion);
});
