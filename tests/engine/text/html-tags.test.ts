import { describe, expect, it } from '@jest/globals';
import { htmlTagOf } from '../../../src/engine/text/html-tags.ts';
import { cases } from '../cases.ts';

describe('htmlTagOf', () => {
  it.each(cases('HTML tag'))('reads $given', ({ given, expected }) =>
    expect(JSON.stringify(htmlTagOf(given)) ?? '').toBe(expected),
  );
});
