import { expect, it } from '@jest/globals';
import type { TaskPiece } from '../../../src/broker/shared/task.ts';
import { createGatherer } from '../../../src/broker/worker/gather-pieces.ts';

const sampleRate = 1000;
const patch = 80;

function setUp() {
  let time = 0;
  let position = 0;
  const gatherer = createGatherer(sampleRate, () => time);
  const piece = (details: object = {}, warnings: readonly string[] = []): TaskPiece => {
    const samples = new Float32Array(patch).fill(position);
    position += patch;
    return { start: position - patch, samples, details: { part: 0, patches: 1, taken: 0, ...details }, warnings };
  };
  return { gatherer, piece, pass: (milliseconds: number) => (time += milliseconds) };
}

it('sends each piece to a listener who has nothing ahead', () => {
  const { gatherer, piece, pass } = setUp();
  for (let index = 0; index < 20; index += 1) {
    expect(gatherer.add(piece())).toHaveLength(1);
    pass(80);
  }
});

it('sends ever longer pieces, of up to a second, to one who is ever further ahead, and loses nothing', () => {
  const { gatherer, piece, pass } = setUp();
  const sent: TaskPiece[] = [];
  for (let index = 0; index < 500; index += 1) {
    sent.push(...gatherer.add(piece()));
    pass(40);
  }
  sent.push(...gatherer.flush());
  const lengths = sent.map(({ samples }) => samples.length);
  expect(lengths.slice(0, 2)).toEqual([patch, patch]);
  expect(Math.max(...lengths)).toBe(1040);
  let end = 0;
  for (const { start, samples } of sent) {
    expect(start).toBe(end);
    end += samples.length;
  }
  expect(end).toBe(500 * patch);
  // The player never catches up with what was sent.
  expect(sent.length).toBeLessThan(70);
});

it('keeps the ends and beginnings of parts, texts, sentences and warnings', () => {
  const { gatherer, piece } = setUp();
  for (let index = 0; index < 60; index += 1) gatherer.add(piece());
  gatherer.flush();
  expect(gatherer.add(piece({ text: 'one', sentences: [1] }, ['early']))).toEqual([]);
  expect(gatherer.add(piece({ sentences: [2] }, ['late']))).toEqual([]);
  const [joined] = gatherer.add(piece({ end: 'stop' }));
  expect(joined).toMatchObject({
    details: { text: 'one', sentences: [1, 2], end: 'stop' },
    warnings: ['early', 'late'],
  });
  expect(joined?.samples.length).toBe(3 * patch);
  expect(gatherer.add(piece({ part: 1, text: 'two' }))).toEqual([]);
  expect(gatherer.add(piece({ part: 1, taken: 1 }))).toHaveLength(1);
});
