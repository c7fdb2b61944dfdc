import { expect, it } from '@jest/globals';
import { normalizesByDefault } from '../../../src/engine/text/normalization-default.ts';
import { createTokenizer, type Tokenizer } from '../../../src/engine/text/tokenizer.ts';

function tokenizerOf(characters: string): Tokenizer {
  const vocab = Object.fromEntries(['<unk>', '▁', ...characters].map((token, id) => [token, id]));
  const json = JSON.stringify({ model: { vocab, merges: [], unk_token: '<unk>' } });
  return createTokenizer((key) => (key === 'tokenizer.huggingface.json' ? json : undefined));
}

const digits = tokenizerOf('abc0123456789');

it('spells numbers out for models before VoxCPM 2', () => {
  expect(normalizesByDefault({ architecture: 'voxcpm' }, digits)).toBe(true);
  expect(normalizesByDefault({ architecture: 'voxcpm2' }, digits)).toBe(false);
});

it('spells numbers out where a tokenizer lacks a digit', () => {
  expect(normalizesByDefault({ architecture: 'voxcpm2' }, tokenizerOf('abc012345678'))).toBe(true);
});
