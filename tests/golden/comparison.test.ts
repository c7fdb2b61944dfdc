import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Check, Comparison, exact, finiteOnly } from './comparison.ts';
import { transposed } from './layout.ts';
import { flowSettings } from './stages.ts';

const directory = join(process.cwd(), 'tests', 'fixtures', 'tiny-v1');
const create = (factors = exact): Comparison => new Comparison(directory, factors, () => {});
const last = (comparison: Comparison): Check | undefined => comparison.checks.at(-1);

describe('Comparison', () => {
  it('accepts values within the recorded tolerance', () => {
    const comparison = create();
    const expected = comparison.floats('lm.out');
    const tolerance = comparison.golden.tol['lm.out'] as number;
    comparison.meet(
      'lm.out',
      expected.map((value) => value + tolerance / 2),
    );
    expect(last(comparison)).toMatchObject({ verdict: 'ok', tolerance });
    comparison.meet(
      'lm.out',
      expected.map((value) => value + tolerance * 2),
    );
    expect(last(comparison)).toMatchObject({ verdict: 'FAILED' });
  });

  it('refuses non-finite values at every precision', () => {
    for (const factors of [exact, finiteOnly]) {
      const comparison = create(factors);
      const expected = comparison.floats('lm.out');
      comparison.meet(
        'lm.out',
        expected.map(() => Number.NaN),
      );
      expect(last(comparison)).toMatchObject({ verdict: 'FAILED' });
      comparison.meet(
        'lm.out',
        expected.map((_, index) => (index === 3 ? Number.POSITIVE_INFINITY : 0)),
      );
      expect(last(comparison)).toMatchObject({ verdict: 'FAILED' });
    }
  });

  it('refuses a different number of values', () => {
    const comparison = create(finiteOnly);
    comparison.meet('lm.out', new Float32Array(3));
    expect(last(comparison)).toMatchObject({ verdict: 'FAILED', note: '3 values instead of 576' });
  });

  it('fails entries that were not computed, and names parts that threw', async () => {
    const comparison = create();
    comparison.absent('lm.out', 'for this test');
    await comparison.part('rlm', () => Promise.reject(new Error('no such stage')));
    comparison.finish();
    const failures = comparison.failures.map(({ name }) => name);
    expect(failures).toHaveLength(Object.keys(comparison.golden.tol).length);
    expect(failures).toContain('rlm');
    expect(failures).toContain('e2e.zs.wav');
    expect(failures).not.toContain('lm.out');
  });

  it('checks decisions only where tolerances apply', () => {
    const strict = create();
    strict.equal('e2e.zs.stop_flags', [0, 1], [0, 0]);
    expect(last(strict)).toMatchObject({ verdict: 'FAILED', note: '1 instead of 0 at 1 of 2 (2 values)' });
    const loose = create(finiteOnly);
    loose.equal('e2e.zs.stop_flags', [0, 1], [0, 0]);
    expect(last(loose)).toMatchObject({ verdict: 'ok' });
  });
});

describe('flowSettings', () => {
  it.each([
    ['cfm.out.n10_cfg2', 10, 2, 1, 1, 1],
    ['cfm.out.n10_cfg3.3', 10, 3.3, 1, 1, 1],
    ['cfm.out.n10_cfg2_sway0', 10, 2, 0, 1, 1],
    ['cfm.out.n10_cfg2_nozerostar', 10, 2, 1, 0, 1],
    ['cfm.out.n10_cfg2_temp0.5', 10, 2, 1, 1, 0.5],
  ])('reads %s', (name, timesteps, cfg, sway, zeroStar, temperature) => {
    expect(flowSettings(name)).toEqual({ parameters: { timesteps, cfg, sway, zeroStar }, temperature });
  });

  it('returns undefined for names with unknown parts', () => {
    expect(flowSettings('cfm.out.n10_cfg2_other')).toBeUndefined();
  });
});

describe('transposed', () => {
  it('swaps the last two dimensions of every matrix', () => {
    const { shape, data } = transposed({
      shape: [2, 2, 3],
      data: Float32Array.from({ length: 12 }, (_, index) => index),
    });
    expect(shape).toEqual([2, 3, 2]);
    expect([...data]).toEqual([0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11]);
  });
});
