import { describe, expect, it } from '@jest/globals';
import { mixReferences, parseVoiceMix } from '../../src/voices/voice-mix.ts';

describe('the name of a mix', () => {
  it('has the shares of its voices', () => {
    expect(parseVoiceMix('anna')).toBeUndefined();
    expect(parseVoiceMix('anna-marie_2.b')).toBeUndefined();
    expect(parseVoiceMix('anna+ben')).toEqual([
      { name: 'anna', share: 0.5 },
      { name: 'ben', share: 0.5 },
    ]);
    expect(parseVoiceMix(' anna (3) + ben(0.5) +чай(.5)'.replace('(.5)', '(0.5)'))).toEqual([
      { name: 'anna', share: 0.75 },
      { name: 'ben', share: 0.125 },
      { name: 'чай', share: 0.125 },
    ]);
    expect(parseVoiceMix('anna(2)')).toEqual([{ name: 'anna', share: 1 }]);
  });

  it.each(['+anna', 'anna+', 'anna++ben', 'anna()', 'anna(0)+ben', 'anna(-1)+ben', 'anna(1e3)', 'anna(2', '+'])(
    'is refused: %s',
    (name) => {
      expect(() => parseVoiceMix(name)).toThrow(/^a mix of voices must be names with weights above 0 such as /);
    },
  );

  it('names what a mix cannot be', () => {
    expect(() => parseVoiceMix('anna(2)-ben(1)')).toThrow('a voice cannot be subtracted');
    expect(() => parseVoiceMix(Array(9).fill('anna').join('+'))).toThrow('a mix of voices has at most 8, got 9');
  });
});

describe('a mix of references', () => {
  const patches = (value: number, count: number) => new Float32Array(count * 2).fill(value);
  const mixed = (...references: readonly (readonly [value: number, count: number, share: number])[]) => {
    const values = mixReferences(
      references.map(([value, count, share]) => ({ patches: patches(value, count), share })),
      2,
    );
    return references.map(([value]) => [...values].filter((one) => one === value).length / 2);
  };

  it('has as much of each as the shares allow', () => {
    expect(mixed([1, 10, 0.5], [2, 10, 0.5])).toEqual([10, 10]);
    expect(mixed([1, 10, 2 / 3], [2, 10, 1 / 3])).toEqual([10, 5]);
    expect(mixed([1, 10, 0.25], [2, 9, 0.75])).toEqual([3, 9]);
  });

  it('has at least a patch of each', () => {
    expect(mixed([1, 1, 0.5], [2, 100, 0.5])).toEqual([1, 1]);
    expect(mixed([1, 100, 0.999], [2, 100, 0.001])).toEqual([100, 1]);
  });
});
