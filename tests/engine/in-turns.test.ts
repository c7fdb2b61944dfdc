/** Texts that are accepted in turns with the event loop. */
import { expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { parseRequestText } from '../../src/engine/parsed-request.ts';
import { parseRequest, type SynthesisRequest } from '../../src/engine/request.ts';
import { inTurns } from '../../src/event-loop.ts';
import { createFakeBackend } from './fake-backend.ts';

const engine = createEngineFromBackend(createFakeBackend({ stopAt: 2 }), { maxBatch: 2 });

const acceptInTurns = async (request: SynthesisRequest) =>
  inTurns(engine.accept(await inTurns(parseRequestText(parseRequest(request)))));

it.each([
  ['plain text', { text: `${'A sentence of a few words. '.repeat(10)}\n\nThe end [voice:x].` }],
  ['a single word', { text: ' Hello ' }],
  ['Markdown', { text: `# One\n\n${'- *two* <b>three</b>\n'.repeat(7)}`, inputFormat: 'markdown' }],
  ['SSML', { text: `<speak>${'<p>One &amp; two.<break time="1s"/></p>'.repeat(10)}<x/></speak>` }],
  ['numbers', { text: 'It cost $3.50. '.repeat(15), normalize: true }],
] as const)('are spoken like texts that are accepted at once: %s', async (_name, fields) => {
  const request = { ...fields, seed: 7 };
  const accepted = await acceptInTurns(request);
  expect(accepted.hasWords).toBe(engine.check(request) === 'speech');
  for (const mayRetract of [true, false]) {
    const stream = mayRetract ? engine.synthesizeParts(request) : engine.stream(request);
    const expected: [part: number, samples: number][] = [];
    for await (const { samples, ...item } of stream)
      expected.push(['part' in item ? item.part : item.index, samples.length]);
    const heard: typeof expected = [];
    const warnings = [...accepted.warnings];
    for await (const { part, samples, ...event } of engine.speak(accepted, { mayRetract })) {
      // A stream leaves out what has no audio.
      if (mayRetract || samples.length > 0 || event.isLast) heard.push([part, samples.length]);
      warnings.push(...(event.warnings ?? []));
    }
    expect(heard).toEqual(expected);
    expect([accepted.seed, warnings]).toEqual([stream.seed, stream.warnings]);
  }
});

it('are refused like texts that are accepted at once', async () => {
  const request = { text: '<speak><p></speak>' };
  expect(() => engine.stream(request)).toThrow('the SSML is not valid');
  expect(() => engine.synthesizeParts(request)).toThrow('the SSML is not valid');
  await expect(acceptInTurns(request)).rejects.toThrow('the SSML is not valid');
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
  await acceptInTurns({ text, clean: true, lexicon: [{ written: '汉2', spoken: 'a' }] });
  isOver = true;
  expect(turns).toBeGreaterThan(3);
});
