import { expect, it } from '@jest/globals';
import { expectsSound, type PlannedPart } from '../../../src/engine/plan/plan.ts';

it.each([
  ['of words', { text: 'One.', index: 1, isLast: false }, true],
  ['without words', { text: '…', index: 1, isLast: true }, false],
  ['that is the whole text', { text: '…', index: 0, isLast: true }, true],
  ['that begins a text', { text: '…', index: 0, isLast: false }, false],
])('a part %s is expected to sound: %j', (_, part, expected) =>
  expect(expectsSound(part as PlannedPart)).toBe(expected),
);
