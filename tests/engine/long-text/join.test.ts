import { describe, expect, it, jest } from '@jest/globals';
import { createJoiner } from '../../../src/engine/long-text/join.ts';
import { concatenate } from '../../../src/float-arrays.ts';

const sampleRate = 2_000;
const seconds = (value: number): number => Math.round(value * sampleRate);

/** A tone surrounded by silence or faint noise. */
function part(lead: number, tone: number, tail: number, noise = 0): Float32Array {
  const samples = new Float32Array(seconds(lead + tone + tail));
  for (let index = 0; index < samples.length; index += 1) {
    const isTone = index >= seconds(lead) && index < seconds(lead + tone);
    samples[index] = isTone ? 0.5 * Math.cos(index / 3) : noise * Math.cos(index * 2.1);
  }
  return samples;
}

interface JoinedPart {
  readonly samples: Float32Array;
  /** Pause after the part; undefined for the last. */
  readonly pause?: number;
}

function joinAll(parts: readonly JoinedPart[], chunk = Number.POSITIVE_INFINITY): Float32Array {
  const joiner = createJoiner(sampleRate);
  const heard: Float32Array[] = [];
  for (const { samples, pause } of parts) {
    for (let start = 0; start < samples.length; start += chunk) {
      heard.push(joiner.push(samples.slice(start, Math.min(samples.length, start + chunk))));
    }
    if (pause !== undefined) joiner.pause(pause);
  }
  return concatenate([...heard, joiner.end()]);
}

/** Lengths of the quiet sections, in seconds. */
function silences(samples: Float32Array): number[] {
  const found: number[] = [];
  let run = 0;
  for (const value of [...samples, 1]) {
    if (Math.abs(value) < 0.02) run += 1;
    else {
      if (run > seconds(0.02)) found.push(run / sampleRate);
      run = 0;
    }
  }
  return found;
}

const largestStep = (samples: Float32Array): number =>
  samples.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (samples[index - 1] ?? value))), 0);

describe('createJoiner', () => {
  it('does not change a single part', () => {
    const samples = part(0.3, 0.5, 0.7, 0.001);
    expect(joinAll([{ samples }])).toEqual(samples);
    expect(joinAll([{ samples }], 100)).toEqual(samples);
  });

  it.each([
    ['cuts much silence', 0.4, 0.5, 0.2],
    ['fills up little silence', 0.01, 0.01, 0.6],
    ['makes silence where there is none', 0, 0, 0.4],
    ['cuts down to next to nothing', 0.3, 0.3, 0.06],
  ])('%s to the pause', (_what, tail, lead, pause) => {
    const joined = joinAll([{ samples: part(0.1, 0.5, tail), pause }, { samples: part(lead, 0.5, 0.1) }]);
    const [before, between, after] = silences(joined);
    expect(before).toBeCloseTo(0.1, 2);
    // Fades and margins around sound take some time.
    expect(between).toBeGreaterThan(pause - 0.01);
    expect(between).toBeLessThan(pause + 0.06);
    expect(after).toBeCloseTo(0.1, 2);
  });

  it('causes no clicks, whatever the ends of the parts', () => {
    const loud = new Float32Array(1_000).fill(0.7);
    const joined = joinAll([{ samples: loud, pause: 0.06 }, { samples: loud, pause: 0.2 }, { samples: loud }]);
    // A fade of five milliseconds has ten samples here, eighty at 16 kHz.
    expect(largestStep(joined)).toBeLessThan(0.12);
  });

  it('keeps all sound', () => {
    const parts = [0.3, 0.1, 0.5].map((tone) => ({ samples: part(0.2, tone, 0.3, 0.002), pause: 0.2 }));
    const energy = (samples: Float32Array): number => samples.reduce((sum, value) => sum + value * value, 0);
    const expected = parts.reduce((sum, { samples }) => sum + energy(samples), 0);
    expect(energy(joinAll(parts)) / expected).toBeCloseTo(1, 3);
  });

  it.each([7, 20, 160, 700])('returns the same samples in chunks of %i', (chunk) => {
    const parts = [
      { samples: part(0.2, 0.3, 0.4, 0.003), pause: 0.4 },
      { samples: part(0, 0.3, 0), pause: 0.9 },
      { samples: part(1.5, 0.2, 1.4), pause: 0.2 },
      { samples: part(0.1, 0.2, 0.1, 0.05) },
    ];
    expect(joinAll(parts, chunk)).toEqual(joinAll(parts));
  });

  it('accepts silent and empty parts', () => {
    const sound = part(0.1, 0.2, 0.1);
    const joined = joinAll([
      { samples: sound, pause: 0.2 },
      { samples: new Float32Array(0), pause: 0.9 },
      { samples: new Float32Array(400), pause: 0.2 },
      { samples: sound },
    ]);
    expect(silences(joined)).toHaveLength(3);
    expect(silences(joined)[1]).toBeGreaterThan(0.85);
    expect(joinAll([{ samples: new Float32Array(0), pause: 1 }, { samples: new Float32Array(0) }])).toHaveLength(0);
  });

  it('holds back at most two seconds', () => {
    const joiner = createJoiner(sampleRate);
    let given = 0;
    let heard = joiner.push(part(0, 0.5, 0)).length;
    joiner.pause(0.4);
    for (let second = 0; second < 10; second += 1) {
      heard += joiner.push(new Float32Array(sampleRate)).length;
      given += sampleRate;
      expect(given - heard).toBeLessThan(2 * sampleRate);
    }
  });
});

it('copies a long pause once', () => {
  const joiner = createJoiner(sampleRate);
  joiner.push(part(0, 1, 0.5));
  joiner.pause(60);
  const copy = jest.spyOn(Object.getPrototypeOf(Float32Array.prototype), 'set');
  try {
    const heard = joiner.push(part(0.1, 1, 0));
    expect(heard.length).toBeGreaterThan(seconds(60));
    const copied = copy.mock.calls.reduce((sum, [values]) => sum + (values as Float32Array).length, 0);
    expect(copied).toBeLessThan(seconds(5));
  } finally {
    copy.mockRestore();
  }
});
