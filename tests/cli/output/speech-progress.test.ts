import { describe, expect, it } from '@jest/globals';
import { createSpeechShare, estimatePatches } from '../../../src/cli/output/speech-progress.ts';

const demo = { patchSamples: 1280, outputSampleRate: 16_000 };

describe('estimatePatches', () => {
  it('counts letters and ideographs', () => {
    expect(estimatePatches('a'.repeat(140), demo)).toBe(125);
    expect(estimatePatches('你'.repeat(40), demo)).toBe(125);
    expect(estimatePatches('', demo)).toBe(1);
  });
});

describe('createSpeechShare', () => {
  it('grows with the patches, and stays short of the end', () => {
    const share = createSpeechShare(10);
    const at = (patches: number) => share({ part: 1, parts: 1, finished: 0, patches });
    expect([1, 5, 9, 10, 50].map(at)).toEqual([0.1, 0.5, 0.9, 0.95, 0.95]);
  });

  it('waits for a part that is generated again', () => {
    const share = createSpeechShare(10);
    share({ part: 1, parts: 1, finished: 0, patches: 8 });
    expect(share({ part: 1, parts: 1, finished: 0, patches: 1 })).toBe(0.8);
  });

  it('adds up the parts of a long text', () => {
    const share = createSpeechShare(40);
    share({ part: 1, parts: 4, finished: 0, patches: 5 });
    expect(share({ part: 2, parts: 4, finished: 0, patches: 5 })).toBeCloseTo(0.25);
    expect(share({ part: 4, parts: 4, finished: 3, patches: 1 })).toBe(0.75);
  });
});
