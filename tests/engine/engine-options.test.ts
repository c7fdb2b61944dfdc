import { describe, expect, it } from '@jest/globals';
import { parseEngineOptions } from '../../src/engine/engine-options.ts';
import { errorOf } from '../support/errors.ts';
import { cases } from './cases.ts';

describe('parseEngineOptions', () => {
  it('fills in the defaults', () => {
    expect(parseEngineOptions({})).toEqual({ backend: 'auto', ditType: 'auto', maxBatch: 8 });
  });

  it.each(cases('no engine options'))('$given: $expected', ({ given, expected }) => {
    expect(() => parseEngineOptions(JSON.parse(given))).toThrow(errorOf('INVALID_REQUEST', expected));
  });
});
