import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { tokenizerMetadata } from '../../../export/gguf/tokenizer-metadata.ts';
import type { MetadataValue } from '../../../src/engine/backend.ts';
import { createTokenizer, type Tokenizer } from '../../../src/engine/text/tokenizer.ts';
import { resolveTokenizer, type TokenizerFiles } from '../../../src/engine/text/tokenizer-files.ts';
import { cases } from '../cases.ts';

type Fields = { readonly [name: string]: unknown };

interface Case {
  readonly name: string;
  readonly ids: readonly (readonly number[])[];
  /** Changes of the files of the checkpoint; null removes a field. */
  readonly config?: Fields;
  readonly tokenizer?: Fields;
  readonly map?: Fields;
}

interface Recorded {
  readonly checkpoint: string;
  readonly texts: readonly string[];
  readonly configs: readonly Case[];
}

const fixtures = join(import.meta.dirname, '../../fixtures');
const read = (...path: string[]) => JSON.parse(readFileSync(join(fixtures, ...path), 'utf8'));
const { checkpoint, texts, configs }: Recorded = read('tokenizer-configs.json');

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function changed(fields: Fields, changes: Fields = {}): Fields {
  const result: Record<string, unknown> = { ...fields };
  for (const [name, value] of Object.entries(changes)) {
    const old = fields[name];
    if (value === null) delete result[name];
    else result[name] = isObject(value) && isObject(old) ? changed(old, value) : value;
  }
  return result;
}

const filesOf = ({ config, tokenizer, map }: Partial<Case>): TokenizerFiles => ({
  tokenizer: JSON.stringify(changed(read(checkpoint, 'checkpoint/tokenizer.json'), tokenizer)),
  tokenizerConfig: JSON.stringify(changed(read(checkpoint, 'checkpoint/tokenizer_config.json'), config)),
  specialTokensMap: JSON.stringify(changed(read(checkpoint, 'checkpoint/special_tokens_map.json'), map)),
});

const fromJson = (json: string): Tokenizer =>
  createTokenizer((key) => (key === 'tokenizer.huggingface.json' ? json : undefined));

const encoded = (tokenizer: Tokenizer) => texts.map((text) => [text, ...tokenizer.encode(text)]);

describe.each(configs)('files with $name', ({ ids, ...changes }) => {
  it('give the ids of transformers', () => {
    const tokenizer = fromJson(resolveTokenizer(filesOf(changes)));
    expect(encoded(tokenizer)).toEqual(texts.map((text, index) => [text, ...(ids[index] ?? [])]));
  });
});

describe('the arrays for other programs', () => {
  const arraysOf = (changes: Partial<Case>): ReadonlyMap<string, MetadataValue> => {
    const files = filesOf(changes);
    const entries = tokenizerMetadata({ ...files, tokenizer: resolveTokenizer(files) }, 1200);
    return new Map(
      entries.flatMap(([key, { value }]) =>
        key === 'tokenizer.huggingface.json' ? [] : [[key, value as MetadataValue]],
      ),
    );
  };

  it.each(['published', 'no prefix space', 'tokens without options'])('agree with the files: %s', (name) => {
    const token = { single_word: false, lstrip: false, rstrip: false, normalized: false };
    const laugh = { ...token, content: '[laugh]', special: false };
    const changes: Partial<Case> = configs.find((entry) => entry.name === name) ?? {
      config: { added_tokens_decoder: { 1099: laugh } },
    };
    const arrays = arraysOf(changes);
    expect(encoded(createTokenizer((key) => arrays.get(key)))).toEqual(
      encoded(fromJson(resolveTokenizer(filesOf(changes)))),
    );
  });

  it('say which tokens are special, and what other programs add', () => {
    const arrays = arraysOf({
      config: { add_bos_token: false, add_eos_token: true, added_tokens_decoder: { 1099: { content: '[laugh]' } } },
    });
    const types = arrays.get('tokenizer.ggml.token_type') as readonly number[];
    expect([types[0], types[105], types[1099], types[1100]]).toEqual([3, 1, 4, 5]);
    expect(arrays.get('tokenizer.ggml.add_bos_token')).toBe(false);
    expect(arrays.get('tokenizer.ggml.add_eos_token')).toBe(true);
    expect(arrays.get('tokenizer.ggml.add_space_prefix')).toBe(true);
  });
});

describe('files that are refused', () => {
  it.each(cases('no tokenizer'))('$case', ({ given, expected: message }) => {
    expect(() => resolveTokenizer({ ...filesOf({}), ...JSON.parse(given) })).toThrow(
      expect.objectContaining({ code: 'MODEL_INVALID', message }),
    );
  });
});
