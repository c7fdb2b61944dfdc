/**
 * Every stage of a text takes linear time, however hostile the text is. Work is counted, see tests/support/work.ts;
 * `npm run fuzz -- text` tries pairs, triples and the longest texts by the clock.
 */
import { expect, it } from '@jest/globals';
import { rounds } from '../support/rounds.ts';
import { countedCopy, growthOf } from '../support/work.ts';
import { beginnings, characters, ends, repeated } from './hostile-texts.ts';
import type * as Stages from './text-stages.ts';

const { stageNames, runStage } = await countedCopy<typeof Stages>('tests/engine/text-stages.ts');

const pieces = [
  'a',
  'be',
  '汉',
  '汉.',
  '1',
  '1,',
  '.!',
  '…',
  ').',
  '-',
  ' ',
  '\n',
  '"',
  '[a',
  '{a',
  '<a ',
  '*',
  '`',
  '~',
  '&',
  '\u0301',
];
const forms = [
  ...pieces.map((piece) => (length: number) => `${repeated(piece, length)}a`),
  ...beginnings
    .map((beginning, index) => (length: number) => {
      const piece = characters[(7 * index) % characters.length] ?? 'a';
      return beginning + repeated(piece, length) + (ends[index % ends.length] ?? '');
    })
    .filter((_, index) => rounds(index % 2 === 0, true)),
];

const formsAtOnce = 6;
const sizes = rounds<readonly [number, number]>([300, 600], [800, 1600]);

it.each(stageNames)('%s', async (name) => {
  // A few at a time, so that a quadratic one outweighs the others.
  const groups = Array.from({ length: Math.ceil(forms.length / formsAtOnce) }, (_, index) =>
    forms.slice(index * formsAtOnce, (index + 1) * formsAtOnce),
  );
  for (const some of groups) {
    const run = (length: number): void => {
      for (const form of some) runStage(name, form(length));
    };
    expect(await growthOf(run, ...sizes)).toBeLessThan(2.2);
  }
});
