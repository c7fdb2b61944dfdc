import { describe, expect, it } from '@jest/globals';
import { modelName, parseModelName } from '../../src/hub/source.ts';
import { errorOf, errorWith } from '../support/errors.ts';

describe('parseModelName', () => {
  it.each([
    ['voxcpm-0.5b', 'openbmb/VoxCPM-0.5B', 'main'],
    ['VoxCPM-1.5', 'openbmb/VoxCPM1.5', 'main'],
    ['voxcpm-2@v1', 'openbmb/VoxCPM2', 'v1'],
    ['someone/some_model.gguf', 'someone/some_model.gguf', 'main'],
    ['someone/model@refs/pr/1', 'someone/model', 'refs/pr/1'],
  ])('reads %s', (text, repository, revision) => {
    expect(parseModelName(text)).toEqual({ hub: 'huggingface', repository, revision });
  });

  it.each([
    ['modelscope:voxcpm-2', 'huggingface', 'modelscope', 'OpenBMB/VoxCPM2', 'master'],
    ['voxcpm-0.5b', 'modelscope', 'modelscope', 'OpenBMB/VoxCPM-0.5B', 'master'],
    ['huggingface:voxcpm-0.5b@v1', 'modelscope', 'huggingface', 'openbmb/VoxCPM-0.5B', 'v1'],
    ['a/b@main', 'modelscope', 'modelscope', 'a/b', 'main'],
  ] as const)('reads %s on %s', (text, otherwise, hub, repository, revision) => {
    expect(parseModelName(text, otherwise)).toEqual({ hub, repository, revision });
  });

  it.each([
    ['https://huggingface.co/openbmb/VoxCPM-0.5B', 'huggingface', 'openbmb/VoxCPM-0.5B', 'main'],
    ['http://www.huggingface.co/a/b/?download=true#files', 'huggingface', 'a/b', 'main'],
    ['https://hf.co/a/b/tree/dev', 'huggingface', 'a/b', 'dev'],
    ['https://www.modelscope.cn/models/OpenBMB/VoxCPM2', 'modelscope', 'OpenBMB/VoxCPM2', 'master'],
    ['https://modelscope.cn/models/a/b/files', 'modelscope', 'a/b', 'master'],
  ])('reads the address %s, whatever the usual hub', (text, hub, repository, revision) => {
    expect(parseModelName(text)).toEqual({ hub, repository, revision });
    expect(parseModelName(text, 'modelscope')).toEqual({ hub, repository, revision });
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
