/** Requests take work in proportion to what is read of their texts: live ones, long ones, and those with a lexicon. */
import { expect, it } from '@jest/globals';
import type { SynthesisRequest } from '../../src/engine/request.ts';
import { errorOf } from '../support/errors.ts';
import { rounds } from '../support/rounds.ts';
import { countedCopy, growthOf } from '../support/work.ts';
import { createFakeBackend, fakeInfo } from './fake-backend.ts';

const counted = await countedCopy<
  typeof import('../../src/engine/engine.ts') &
    typeof import('../../src/engine/live/cut-live.ts') &
    typeof import('../../src/engine/live/live-request.ts') &
    typeof import('../../src/engine/live/plan-live.ts') &
    typeof import('../../src/engine/request.ts')
>(
  'src/engine/engine.ts',
  'src/engine/live/cut-live.ts',
  'src/engine/live/live-request.ts',
  'src/engine/live/plan-live.ts',
  'src/engine/request.ts',
);

async function* tokens(text: string): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000);
}

it.each<[string, 'plain' | 'markdown']>([
  ['a', 'plain'],
  ['[[[[', 'markdown'],
  ['((( ', 'plain'],
  ['```\n', 'markdown'],
  ['**a ', 'markdown'],
  ['| a |\n', 'markdown'],
])('takes linear time for a long live text of %j', async (unit, inputFormat) => {
  const plan = async (length: number): Promise<void> => {
    const text = tokens(unit.repeat(length / unit.length));
    const accepted = counted.acceptLive(counted.parseFields({ inputFormat }), fakeInfo);
    const { signal } = new AbortController();
    const segments = counted.cutLive({ text, request: accepted, info: fakeInfo, signal });
    for await (const _ of counted.planLive({ segments, accepted, info: fakeInfo, onSegment: async () => undefined }));
  };
  // Beyond the window that each cut looks at.
  expect(await growthOf(plan, rounds(10_000, 20_000), rounds(20_000, 40_000))).toBeLessThan(2.8);
});

it('does not split more text than it generates', async () => {
  const limits = { maxTextCharacters: 20 };
  const info = { patchSamples: 100, outputSampleRate: 100, limits };
  const speakFirst = async (paragraphs: number): Promise<void> => {
    const engine = counted.createEngineFromBackend(createFakeBackend({ stopAt: 4, info }), { maxBatch: 4 });
    for await (const { index } of engine.synthesizeParts({ text: 'One is a part.\n\n'.repeat(paragraphs), seed: 1 })) {
      expect(index).toBe(0);
      break;
    }
  };
  // The first request loads modules, which do not count; the text is read as a whole.
  await speakFirst(1);
  expect(await growthOf(speakFirst, 1_000, 4_000)).toBeLessThan(2);
});

const dialogue = { text: `anna: ${'a '.repeat(5000)}`, inputFormat: 'script' };
it.each([
  ['respellings of the request', (respelling: object) => ({ text: 'a '.repeat(5000), lexicon: [respelling] })],
  ['those of a voice', (respelling: object) => ({ text: 'a '.repeat(5000), voiceLexicon: [respelling] })],
  [
    'those of a voice of its script',
    (respelling: object) => ({ ...dialogue, voices: { anna: { voiceLexicon: [respelling] } } }),
  ],
])('refuses a text that %s make far longer, before it is written', async (_, requestOf) => {
  const engine = counted.createEngineFromBackend(createFakeBackend(), { maxBatch: 4 });
  const check = (spoken: string) => engine.check(requestOf({ written: 'a', spoken }) as SynthesisRequest);
  expect(check('b'.repeat(8))).toBe('speech');
  const tooLong = /^the lexicon makes the text of \d+ characters longer than 500\d\d characters; shorten the text/;
  const refuse = (length: number): void =>
    expect(() => check('b'.repeat(length))).toThrow(errorOf('INVALID_REQUEST', tooLong));
  expect(await growthOf(refuse, 50, 200)).toBeLessThan(1.1);
});
