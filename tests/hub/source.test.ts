import { describe, expect, it } from '@jest/globals';
import type { HubName } from '../../src/hub/hubs.ts';
import { modelName, parseModelName } from '../../src/hub/source.ts';
import { errorOf, errorWith } from '../support/errors.ts';
import { readRows } from '../support/rows.ts';

describe('parseModelName', () => {
  const names = readRows<'name' | 'otherwise' | 'hub' | 'repository' | 'revision'>('tests/hub/model-names.tsv');
  it.each(names)('reads $name where $otherwise is the usual hub', ({ name, otherwise, ...expected }) => {
    expect(parseModelName(name, otherwise as HubName)).toEqual(expected);
  });

  it.each([
    ['https://huggingface.co/a/b/blob/main/q/x.gguf', 'name both with a/b --file q/x.gguf'],
    ['https://huggingface.co/a/b/resolve/v1/x.gguf', 'name both with a/b@v1 --file x.gguf'],
    ['https://huggingface.co/datasets/a/b', 'is not the address of a model'],
    ['https://huggingface.co/a', 'is not the address of a model'],
    ['https://huggingface.co/a/b/discussions/1', 'is not the address of a model'],
    ['https://example.com/a/b', 'give that of its page at huggingface.co or modelscope.cn'],
    ['https://huggingface.co.example/a/b', 'is not the address of a model'],
    ['https://', 'is not the address of a model'],
  ])('refuses the address %s', (text, message) => {
    expect(() => parseModelName(text)).toThrow(errorWith('MODEL_NOT_FOUND', message));
  });

  const unknown = 'voxcpm constructor __proto__ ./ a/.. a/b/c a--b/c -a/b a/b. a/b@ a/b@../c a/b@c@d ./model.gguf';
  it.each(['', ...unknown.split(' '), 'a b/c', `a/${'b'.repeat(97)}`])(
    'refuses %j and names the known ones',
    (text) => {
      const known = 'voxcpm-0\\.5b, voxcpm-1\\.5, voxcpm-2, or a repository of --hub such as';
      const refusal = errorOf('MODEL_NOT_FOUND', new RegExp(`^unknown model ".* \\(available: ${known}`));
      expect(() => parseModelName(text)).toThrow(refusal);
    },
  );

  it.each(['voxcpm-0.5b', 'voxcpm-2@v1', 'a/b', 'a/b@c/d', 'modelscope:voxcpm-2', 'modelscope:a/b@main'])(
    'is the inverse of modelName: %s',
    (text) => {
      expect(modelName(parseModelName(text))).toBe(text);
    },
  );
});
