/** Texts that are read and planned in turns with the event loop. */
import { expect, it } from '@jest/globals';
import { createEngineOver, type HeardStream, type PartStream } from '../../src/engine/engine.ts';
import { createFakeBackend } from './fake-backend.ts';

const engine = createEngineOver(createFakeBackend({ stopAt: 2 }), { maxBatch: 2 });
const inTurns = { reading: 'in turns' } as const;

async function heard(stream: HeardStream | PartStream): Promise<object> {
  const spoken: [number, string | undefined, number][] = [];
  for await (const { samples, text, index } of stream) spoken.push([index, text, samples.length]);
  return { spoken, seed: stream.seed, warnings: stream.warnings };
}

it.each([
  ['plain text', { text: `${'A sentence of a few words. '.repeat(30)}\n\nThe end [voice:x].` }],
  ['a single word', { text: ' Hello ' }],
  ['Markdown', { text: `# One\n\n${'- *two* <b>three</b>\n'.repeat(20)}`, inputFormat: 'markdown' }],
  ['SSML', { text: `<speak>${'<p>One &amp; two.<break time="1s"/></p>'.repeat(10)}<x/></speak>` }],
  ['numbers', { text: 'It cost $3.50. '.repeat(50), normalize: true }],
] as const)('are spoken like texts that are read at once: %s', async (_name, fields) => {
  const request = { ...fields, seed: 7 };
  expect(await heard(engine.stream(request, inTurns))).toEqual(await heard(engine.stream(request)));
  expect(await heard(engine.synthesizeParts(request, inTurns))).toEqual(await heard(engine.synthesizeParts(request)));
  expect(await engine.checkInTurns(request)).toBe(engine.check(request));
});

it('are refused when audio is pulled', async () => {
  const request = { text: '<speak><p></speak>' };
  expect(() => engine.stream(request)).toThrow('the SSML is not valid');
  await expect(heard(engine.stream(request, inTurns))).rejects.toThrow('the SSML is not valid');
  await expect(heard(engine.synthesizeParts(request, inTurns))).rejects.toThrow('the SSML is not valid');
  await expect(engine.checkInTurns(request)).rejects.toThrow('the SSML is not valid');
});

it('let other work go first', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const text = '汉1 '.repeat(100_000);
  // Far more than the longest computation without a turn.
  await engine.checkInTurns({ text, clean: true, lexicon: [{ written: '汉2', spoken: 'a' }] });
  isOver = true;
  expect(turns).toBeGreaterThan(3);
});
