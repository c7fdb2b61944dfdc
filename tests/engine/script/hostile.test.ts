/** Hostile and large scripts: nothing but a `SvcError` comes of them, in linear time. */
import { describe, expect, it } from '@jest/globals';
import { parseScript } from '../../../src/engine/script/parse-script.ts';
import type { SvcError } from '../../../src/errors.ts';
import { createRoundRandom } from '../../fuzz/random.ts';
import { hostileRequest, plannedCharacters } from '../../fuzz/script.ts';
import { bomb, bombNames } from '../../fuzz/script-text.ts';
import { rounds } from '../../support/rounds.ts';
import { countedCopy, growthOf } from '../../support/work.ts';

const counted = await countedCopy<
  typeof import('../../../src/engine/script/parse-script.ts') & typeof import('../../fuzz/script.ts')
>('src/engine/script/parse-script.ts', 'tests/fuzz/script.ts');

async function outcomeOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return 'planned';
  } catch (error) {
    // The class of the counted copy is another one.
    if (!(error instanceof Error) || error.name !== 'SvcError') throw error;
    const { code, message } = error as SvcError;
    if (code !== 'INVALID_REQUEST' || message.includes('\n')) return `${code}: ${message}`;
    return 'refused';
  }
}

it('plans or refuses random scripts', async () => {
  const outcomes = new Map<string, number>();
  const count = rounds(100, 2_000);
  for (let round = 0; round < count; round += 1) {
    const { request } = hostileRequest(createRoundRandom(14, round), 60);
    const outcome = await outcomeOf(() => plannedCharacters(request));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect([...outcomes.keys()].sort()).toEqual(['planned', 'refused']);
  // Otherwise most of them would test one message.
  expect(outcomes.get('planned')).toBeGreaterThan(0.4 * count);
  expect(outcomes.get('refused')).toBeGreaterThan(0.1 * count);
});

it('plans random scripts in time linear in their lengths', async () => {
  const plan = async (size: number): Promise<void> => {
    for (let round = 0; round < 30; round += 1) {
      const { request } = hostileRequest(createRoundRandom(14, round), size);
      await outcomeOf(() => counted.plannedCharacters(request));
    }
  };
  expect(await growthOf(plan, 50, 200)).toBeLessThan(3);
});

const formats = ['plain', 'markdown', 'ssml', 'script'] as const;
const voices = { anna: {}, Ben: {} };

describe.each(formats)('%s', (inputFormat) => {
  const options = { format: inputFormat, voices: Object.keys(voices), code: 'read' } as const;

  it.each(bombNames)('parses or refuses %s, nested or repeated many times', async (name) => {
    // Deep enough to overflow the stack.
    const size = rounds(/nested|open|half/.test(name) ? 10_000 : 2_000, 100_000);
    expect(await outcomeOf(() => parseScript(bomb(name, size), options))).toMatch(/^(planned|refused)$/);
  });

  it.each(bombNames)('takes linear time for %s', async (name) => {
    const parse = (size: number) => outcomeOf(() => counted.parseScript(bomb(name, size), options));
    if (inputFormat !== 'markdown') {
      const least = rounds(200, 2_500);
      expect(await growthOf(parse, least, 4 * least)).toBeLessThan(4.5);
      return;
    }
    // Several of the pieces of long paragraphs of Markdown, whose work differs from that of short ones.
    const sizes = [600, 1_200, 2_400, 4_800, 9_600, 19_200];
    const least = sizes.find((size) => bomb(name, size).length > 17_000) ?? (sizes.at(-1) as number);
    expect(await growthOf(parse, least, 2 * least)).toBeLessThan(2.6);
  });

  it('is planned in linear time', async () => {
    const sentence = 'Dr. Ava, who was 30, said: "No." ';
    const ends = { plain: '\n\n', markdown: '\n\n- ', ssml: '<break time="1s"/>', script: '[pause:1s]' } as const;
    const textOf = (characters: number): string => {
      const unit = sentence.repeat(5) + ends[inputFormat];
      const text = unit.repeat(Math.ceil(characters / unit.length));
      return inputFormat === 'ssml' ? `<speak>${text}</speak>` : text;
    };
    const plan = (characters: number): Promise<number> =>
      counted.plannedCharacters({ text: textOf(characters), inputFormat, voices });
    expect(await growthOf(plan, 2_500, 10_000)).toBeLessThan(4.3);
  });
});
