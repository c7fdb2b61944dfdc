import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createWarner } from '../../../src/cli/output/warnings.ts';

describe('a warner', () => {
  it('prints each warning once', () => {
    const stderr = new PassThrough();
    const warner = createWarner({}, { stderr, environment: {} });
    warner.report(['one', 'two', 'one']);
    warner.report(['two', 'three']);
    expect(warner.reported).toEqual(['one', 'two', 'three']);
    expect(String(stderr.read())).toBe('svc: warning: one\nsvc: warning: two\nsvc: warning: three\n');
  });
});
