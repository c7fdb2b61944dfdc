import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEngine } from '../../src/create-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await createEngine({ backend: 'cpu' });
});

afterAll(() => engine.close());

describe('the demo model', () => {
  it('says that it cannot read digits', async () => {
    const { warnings } = await engine.synthesize({ text: 'Gate 7.', seed: 1 });
    expect(warnings).toEqual([
      'this model cannot read the digits of the text (it speaks English); expect wrong or missing words, or have numbers and signs spelled out (normalize)',
    ]);
    expect((await engine.synthesize({ text: 'Gate 7.', seed: 1, normalize: true })).warnings).toEqual([]);
  });
});
