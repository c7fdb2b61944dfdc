import { describe, expect, it } from '@jest/globals';
import { continuePiece, parseEntryId, pieceId, type TaskPiece } from '../../../src/broker/shared/task.ts';
import { createRandom } from '../../fuzz/random.ts';

const answer = Float32Array.from({ length: 1000 }, (_, index) => index);

const pieceOf = (start: number, end: number): TaskPiece => ({
  start,
  samples: answer.slice(start, end),
  details: {},
  warnings: [],
});

describe('continuePiece', () => {
  it.each([
    [0, 10, 0, [0, 10]],
    [5, 10, 5, [5, 10]],
    [0, 10, 4, [4, 10]],
    [0, 10, 9, [9, 10]],
  ])('returns the rest of %i to %i at %i', (start, end, position, [from, to]) => {
    expect(continuePiece(pieceOf(start, end), position)).toEqual(pieceOf(from as number, to as number));
  });

  it.each([10, 11, 500])('returns nothing of 0 to 10 at %i', (position) => {
    expect(continuePiece(pieceOf(0, 10), position)).toBeUndefined();
  });

  it('refuses a gap', () => {
    expect(() => continuePiece(pieceOf(20, 30), 19)).toThrow(RangeError);
  });

  it('gives the same answer however workers cut pieces and overtake each other', () => {
    const random = createRandom(7);
    for (let run = 0; run < 200; run += 1) {
      const received: number[] = [];
      // Each worker starts from the beginning and dies at some point.
      while (received.length < answer.length) {
        const death = random(1_500);
        for (let start = 0; start < Math.min(death, answer.length); ) {
          const end = Math.min(answer.length, start + 1 + random(90));
          const rest = continuePiece(pieceOf(start, end), received.length);
          if (rest !== undefined) received.push(...rest.samples);
          start = end;
        }
      }
      expect(Float32Array.from(received)).toEqual(answer);
    }
  });
});

it('parseEntryId returns the end of a piece and whether the entry is the outcome', () => {
  expect(parseEntryId(pieceId(2560))).toEqual({ position: 2560, isOutcome: false });
  expect(parseEntryId('2560-2')).toEqual({ position: 2560, isOutcome: true });
});
