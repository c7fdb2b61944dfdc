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
    const request = { text: 'Gate 7.', seed: 1 };
    const { warnings } = await engine.synthesize({ ...request, normalize: false });
    expect(warnings).toEqual(["this model can't read digits; add --normalize (normalize over HTTP)"]);
    expect((await engine.synthesize(request)).warnings).toEqual([]);
  });
});
