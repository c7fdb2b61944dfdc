import { describe, expect, it } from '@jest/globals';
import type { RepositoryListing } from '../../src/hub/listing.ts';
import { selectFiles, type Wish } from '../../src/hub/select-files.ts';

const listing = (...paths: readonly string[]): RepositoryListing => ({
  repository: 'a/b',
  revision: 'main',
  commit: '0'.repeat(40),
  files: paths.map((path, size) => ({ path, size, hash: { algorithm: 'git-sha1', digest: '0'.repeat(40) } })),
});
const selected = (paths: readonly string[], wish: Wish = {}) => {
  const { kind, files } = selectFiles(listing(...paths), wish);
  return [kind, ...files.map(({ path }) => path).sort()];
};
const common = ['config.json', 'tokenizer.json'];

describe('selectFiles', () => {
  it('selects only the files that the converter reads', () => {
    const others = ['README.md', '.gitattributes', 'assets/logo.png', 'tokenization.py', 'lora/model.safetensors'];
    expect(selected([...common, 'pytorch_model.bin', 'audiovae.pth', 'tokenizer_config.json', ...others])).toEqual(
      ['checkpoint', 'audiovae.pth', ...common, 'pytorch_model.bin', 'tokenizer_config.json'].sort((a, b) =>
        a === 'checkpoint' ? -1 : b === 'checkpoint' ? 1 : a < b ? -1 : 1,
      ),
    );
  });

  it('selects the files of a LoRA adapter', () => {
    const files = ['lora_weights.ckpt', 'lora_weights.safetensors', 'lora_config.json', 'optimizer.pth', 'x.gguf'];
    expect(selected(files, { adapter: '' })).toEqual(['adapter', 'lora_config.json', 'lora_weights.safetensors']);
    expect(selected(['a/lora_weights.ckpt', 'lora_config.json'], { adapter: 'a' })).toEqual([
      'adapter',
      'a/lora_weights.ckpt',
    ]);
    expect(() => selected(['s/1/lora_weights.ckpt'], { adapter: '' })).toThrow(
      'a/b has no LoRA adapter (lora_weights.safetensors or lora_weights.ckpt); available: a/b/s/1',
    );
    expect(() => selected(['x.gguf'], { adapter: 's' })).toThrow(/^a\/b\/s has no LoRA adapter \([^;]*\)$/);
  });

  it('prefers safetensors', () => {
    const both = [...common, 'pytorch_model.bin', 'model.safetensors', 'audiovae.pth', 'audiovae.safetensors'];
    expect(selected(both)).toEqual([
      'checkpoint',
      'audiovae.safetensors',
      'config.json',
      'model.safetensors',
      'tokenizer.json',
    ]);
    const shards = [
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
    ];
    expect(selected([...common, 'audiovae.pth', 'pytorch_model.bin', ...shards])).toEqual([
      'checkpoint',
      ...['audiovae.pth', ...common, ...shards].sort(),
    ]);
  });

  it('selects the only .gguf file, or the one of the type', () => {
    expect(selected(['README.md', 'x-F16.gguf'])).toEqual(['gguf', 'x-F16.gguf']);
    expect(selected(['x-F16.gguf', 'x-Q8_0.gguf'], { type: 'q8_0' })).toEqual(['gguf', 'x-Q8_0.gguf']);
    expect(selected(['x-f16.gguf', 'q4_k/x.gguf'], { type: 'q4_k' })).toEqual(['gguf', 'q4_k/x.gguf']);
  });

  it('selects the requested file, also next to a checkpoint', () => {
    const paths = [...common, 'model.safetensors', 'audiovae.pth', 'sub/x.gguf'];
    expect(selected(paths, { file: 'sub/x.gguf' })).toEqual(['gguf', 'sub/x.gguf']);
    expect(selected(paths)[0]).toBe('checkpoint');
  });

  it.each([
    [
      ['a.gguf', 'b.gguf'],
      {},
      'INVALID_REQUEST',
      'model a/b has 2 matching .gguf files; choose one with --file (available: a.gguf, b.gguf)',
    ],
    [
      ['a.gguf', 'b.gguf'],
      { type: 'f16' },
      'INVALID_REQUEST',
      'model a/b has no .gguf file of type f16; choose one with --file (available: a.gguf, b.gguf)',
    ],
    [['a.gguf'], { file: 'b.gguf' }, 'MODEL_NOT_FOUND', 'model a/b has no file "b.gguf" (available: a.gguf)'],
    [['a.txt'], { file: 'a.txt' }, 'MODEL_NOT_FOUND', 'model a/b has no file "a.txt" (it has no .gguf files)'],
    [[...common, 'model.safetensors'], {}, 'MODEL_INVALID', 'model a/b has neither a checkpoint nor a .gguf file'],
  ] as [string[], Wish, string, string][])('refuses %j with %j', (paths, wish, code, message) => {
    expect(() => selected(paths, wish)).toThrow(expect.objectContaining({ code, message }));
  });

  it('refuses a config with a declared size of gigabytes', () => {
    const { files, ...rest } = listing(...common, 'model.safetensors', 'audiovae.safetensors');
    const swollen = files.map((file) => (file.path === 'config.json' ? { ...file, size: 2 ** 40 } : file));
    expect(() => selectFiles({ ...rest, files: swollen }, {})).toThrow(
      expect.objectContaining({
        code: 'MODEL_INVALID',
        message: 'config.json of model a/b is larger than the limit of 256 MB (1099511627776 bytes)',
      }),
    );
  });
});
