import { expect, it } from '@jest/globals';
import { redactPaths } from '../../../src/server/http/redact-paths.ts';
import { readRows } from '../../support/rows.ts';

const rows = readRows<'message' | 'shown'>('tests/server/http/redact-paths.tsv');

it.each(rows)('shows $message as $shown', ({ message, shown }) => {
  expect(redactPaths(message)).toBe(shown);
});

it('shortens a long path', () => {
  expect(redactPaths(`cannot read ${'/a'.repeat(20_000)}/b.wav, retry`)).toBe('cannot read …/b.wav, retry');
});

it('takes time in proportion to the message', () => {
  // Each of these took seconds with patterns that begin again at every character.
  for (const message of [
    ' /a'.repeat(40_000),
    '"/a '.repeat(40_000),
    `/${'a'.repeat(120_000)}`,
    'redis://'.repeat(15_000),
    "/a'b, (c: ".repeat(15_000),
    `"/a${'\\\\'.repeat(60_000)}`,
    `/a ${'audio/x '.repeat(15_000)}`,
  ]) {
    expect(redactPaths(message)).not.toBe(message);
  }
});
