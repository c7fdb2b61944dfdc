/** Hostile and large scripts: what they take, and that nothing but a `SvcError` comes of them. */
import { describe, expect, it } from '@jest/globals';
import { parseScript } from '../../../src/engine/script/parse-script.ts';
import { SvcError } from '../../../src/errors.ts';
import { createRoundRandom } from '../../fuzz/random.ts';
import { hostileRequest, plannedCharacters } from '../../fuzz/script.ts';
import { bomb, bombNames } from '../../fuzz/script-text.ts';

/** Milliseconds of the processor that a script of the first tests may take. */
const mostMilliseconds = 2000;

function outcomeOf(run: () => number): string {
  try {
    run();
    return 'planned';
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (error.code !== 'INVALID_REQUEST' || error.message.includes('\n')) return `${error.code}: ${error.message}`;
    return 'refused';
  }
}

const processorMilliseconds = (run: () => void): number => {
  const begin = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
};

it('plans or refuses 2,000 random scripts', () => {
  const outcomes = new Map<string, number>();
  for (let round = 0; round < 2000; round += 1) {
    const { kind, request } = hostileRequest(createRoundRandom(14, round), 60);
    let outcome = '';
    const spent = processorMilliseconds(() => {
      outcome = outcomeOf(() => plannedCharacters(request));
    });
    if (spent > mostMilliseconds) outcome = `${Math.round(spent)} ms in round ${round} (${kind})`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect([...outcomes.keys()].sort()).toEqual(['planned', 'refused']);
  // Otherwise most of them would test one message.
  expect(outcomes.get('planned')).toBeGreaterThan(800);
  expect(outcomes.get('refused')).toBeGreaterThan(200);
});

const formats = ['plain', 'markdown', 'ssml', 'script'] as const;
const voices = { anna: {}, Ben: {} };

describe.each(formats)('%s', (inputFormat) => {
  it.each(bombNames)('parses or refuses %s, nested or repeated 100,000 times', (name) => {
    const parse = () =>
      parseScript(bomb(name, 100_000), { format: inputFormat, voices: Object.keys(voices), code: 'read' });
    let outcome = '';
    const spent = processorMilliseconds(() => {
      outcome = outcomeOf(() => parse().passages.length);
    });
    expect(outcome).toMatch(/^(planned|refused)$/);
    // A quadratic pattern takes minutes.
    expect(spent).toBeLessThan(20_000);
  });

  it('is planned in linear time', () => {
    const sentence = 'Dr. Ava, who was 30, said: "No." ';
    const ends = { plain: '\n\n', markdown: '\n\n- ', ssml: '<break time="1s"/>', script: '[pause:1s]' } as const;
    const textOf = (characters: number): string => {
      const unit = sentence.repeat(5) + ends[inputFormat];
      const text = unit.repeat(Math.ceil(characters / unit.length));
      return inputFormat === 'ssml' ? `<speak>${text}</speak>` : text;
    };
    const time = (characters: number): number =>
      processorMilliseconds(() => plannedCharacters({ text: textOf(characters), inputFormat, voices }));
    time(50_000);
    const [small, large] = [time(250_000), time(1_000_000)];
    expect(large / small).toBeLessThan(8);
  });
});
