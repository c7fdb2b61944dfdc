import { describe, expect, it } from '@jest/globals';
import type { RepositoryListing } from '../../src/hub/listing.ts';
import { selectFiles, type Wish } from '../../src/hub/select-files.ts';
import { errorOf, errorWith } from '../support/errors.ts';

const listing = (...paths: readonly string[]): RepositoryListing => ({
  hub: 'huggingface',
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
    expect(selected([...common, 'pytorch_model.bin', 'audiovae.pth', 'tokenizer_config.json', ...others])).toEqual([
      'checkpoint',
      ...['audiovae.pth', ...common, 'pytorch_model.bin', 'tokenizer_config.json'].sort(),
    ]);
  });

  it('selects the files of a LoRA adapter', () => {
    const files = ['lora_weights.ckpt', 'lora_weights.safetensors', 'lora_config.json', 'optimizer.pth', 'x.gguf'];
    expect(selected(files, { adapter: '' })).toEqual(['adapter', 'lora_config.json', 'lora_weights.safetensors']);
    const one = ['a/lora_weights.ckpt', 'lora_config.json'];
    expect(selected(one, { adapter: 'a' })).toEqual(['adapter', 'a/lora_weights.ckpt']);
    expect(() => selected(['s/1/lora_weights.ckpt'], { adapter: '' })).toThrow(
      'a/b has no LoRA adapter (lora_weights.safetensors or lora_weights.ckpt); available: a/b/s/1',
    );
    expect(() => selected(['x.gguf'], { adapter: 's' })).toThrow(/^a\/b\/s has no LoRA adapter \([^;]*\)$/);
  });

  it('prefers safetensors', () => {
    const both = [...common, 'pytorch_model.bin', 'model.safetensors', 'audiovae.pth', 'audiovae.safetensors'];
    const preferred = ['audiovae.safetensors', 'config.json', 'model.safetensors', 'tokenizer.json'];
    expect(selected(both)).toEqual(['checkpoint', ...preferred]);
    const parts = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const shards = [...parts, 'model.safetensors.index.json'];
    expect(selected([...common, 'audiovae.pth', 'pytorch_model.bin', ...shards])).toEqual([
      'checkpoint',
      ...['audiovae.pth', ...common, ...shards].sort(),
    ]);
    const torchShards = ['pytorch_model-00001-of-00001.bin', 'pytorch_model.bin.index.json'];
    expect(selected([...common, 'audiovae.pth', ...torchShards])).toEqual([
      'checkpoint',
      ...['audiovae.pth', ...common, ...torchShards].sort(),
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
      'a.gguf b.gguf',
      {},
      'INVALID_REQUEST',
      '2 matching .gguf files; choose one with --file (available: a.gguf, b.gguf)',
    ],
    [
      'a.gguf b.gguf',
      { type: 'f16' },
      'INVALID_REQUEST',
      'no .gguf file of type f16; choose one with --file (available: a.gguf, b.gguf)',
    ],
    ['a.gguf', { file: 'b.gguf' }, 'MODEL_NOT_FOUND', 'no file "b.gguf" (available: a.gguf)'],
    ['a.txt', { file: 'a.txt' }, 'MODEL_NOT_FOUND', 'no file "a.txt" (it has neither .gguf files nor ONNX folders)'],
    [`${common.join(' ')} model.safetensors`, {}, 'MODEL_INVALID', 'no checkpoint, .gguf file or ONNX model'],
  ] as [string, Wish, string, string][])('refuses %j with %j', (paths, wish, code, message) => {
    expect(() => selected(paths.split(' '), wish)).toThrow(errorOf(code, `model a/b has ${message}`));
  });

  describe('a file of published repositories', () => {
    /** bluryar/VoxCPM-GGUF, as its export script names them. */
    const voxcpmCpp = ['0.5b', '1.5'].flatMap((size) =>
      ['q4_k', 'q8_0', 'f16'].flatMap((type) => {
        const stem = `${size === '1.5' ? 'voxcpm1.5' : 'voxcpm-0.5b'}-${type}`;
        return [`${stem}.gguf`, `${stem}-audiovae-f16.gguf`];
      }),
    );
    const half = voxcpmCpp.filter((path) => path.startsWith('voxcpm1.5'));
    /** NANI-Nithin/VoxCPM2-GGUF. */
    const bundle = ['F16', 'BF16', 'Q8_0', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K'].map((type) => `voxcpm2-${type}.gguf`);
    /** audio-cpp/audio.cpp-gguf and walusungungulube/ghana-tts-36k-gguf. */
    const [folder, tuned] = ['VoxCPM1-GGUF/voxcpm-0.5b-q8_0-audiovae-f16.gguf', 'ghana-tts-36k-q8_0-audiovae-f16.gguf'];
    /** DennisHuang648/VoxCPM2-GGUF. */
    const acoustic = ['VoxCPM2-Acoustic-F16.gguf', 'VoxCPM2-BaseLM-Q8_0.gguf'];

    it.each([
      [half, 'f16', 'voxcpm1.5-f16.gguf'],
      [half, 'q8_0', 'voxcpm1.5-q8_0.gguf'],
      [half, 'q4_k', 'voxcpm1.5-q4_k.gguf'],
      [bundle, 'f16', 'voxcpm2-F16.gguf'],
      [bundle, 'bf16', 'voxcpm2-BF16.gguf'],
      [[folder], 'q8_0', folder],
      [[tuned], 'q8_0', tuned],
      [['voxcpm1.5-f16-audiovae-f16.gguf', tuned], 'f16', 'voxcpm1.5-f16-audiovae-f16.gguf'],
    ] as [string[], string, string][])('of %j is chosen by type %s', (paths, type, expected) => {
      expect(selected(paths, { type })).toEqual(['gguf', expected]);
    });

    it.each([
      [[folder], 'f16', 'no .gguf file of type f16'],
      [[tuned, 'voxcpm2-audiovae-f16.gguf'], 'f16', 'no .gguf file of type f16'],
      [acoustic, 'f16', 'no .gguf file of type f16'],
      [half.filter((path) => !path.startsWith('voxcpm1.5-f16')), 'f16', 'no .gguf file of type f16'],
      [voxcpmCpp, 'f16', '4 matching .gguf files'],
    ] as [string[], string, string][])('of %j is not chosen by type %s for its VAE', (paths, type, problem) => {
      expect(() => selected(paths, { type })).toThrow(errorWith('INVALID_REQUEST', problem));
    });
  });

  describe('an ONNX folder', () => {
    const graphs = ['audio_vae_encoder', 'audio_vae_decoder', 'voxcpm_prefill', 'voxcpm_decode_step'];
    const data = ['voxcpm_prefill.onnx.data', 'voxcpm_decode_step.onnx.data'];
    const voxcpmOnnx = [...graphs.map((name) => `${name}.onnx`), ...data, 'tokenizer.json', 'config.json'];
    const exported = ['svc-onnx.json', 'flow.onnx', 'flow.onnx.data', 'vae_decoder.onnx', 'tokenizer.json'];
    const inFolder = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}`);

    it('is chosen with its external data, without other files', () => {
      const others = ['README.md', 'infer.py', 'assets/a.wav', 'denoiser.onnx', 'voxcpm_prefill.onnx.txt'];
      expect(selected([...others, ...voxcpmOnnx])).toEqual(['onnx', ...[...voxcpmOnnx].sort()]);
      const split = [...voxcpmOnnx, 'audio_vae_encoder.onnx_data', 'voxcpm_prefill.onnx.data_1', 'voxcpm_prefill.data'];
      expect(selected(split)).toEqual(['onnx', ...split.sort()]);
      const ours = inFolder('onnx', [...exported, 'notes.md']);
      expect(selected(ours)).toEqual(['onnx', ...inFolder('onnx', exported).sort()]);
    });

    it('is chosen by type or path', () => {
      const paths = [...inFolder('fp32', voxcpmOnnx), ...inFolder('models/f16', exported), ...exported];
      expect(selected(paths, { type: 'f16' })).toEqual(['onnx', ...inFolder('models/f16', exported).sort()]);
      expect(selected(paths, { file: 'fp32/' })).toEqual(['onnx', ...inFolder('fp32', voxcpmOnnx).sort()]);
      expect(selected(paths, { file: '.' })).toEqual(['onnx', ...[...exported].sort()]);
      expect(() => selected(paths)).toThrow(
        'model a/b has 3 matching ONNX folders; choose one with --file (available: fp32, models/f16, .)',
      );
      expect(selected([...paths, 'x-q8_0.gguf'])).toEqual(['gguf', 'x-q8_0.gguf']);
      expect(selected([...paths, 'x-q8_0.gguf'], { type: 'f16' })[0]).toBe('onnx');
    });

    it.each([
      [voxcpmOnnx.filter((name) => name !== 'voxcpm_prefill.onnx')],
      [voxcpmOnnx.filter((name) => name !== 'tokenizer.json')],
      [['VoxCPM_Main.onnx', 'VoxCPM_Prefill.onnx', 'tokenizer.json']],
    ])('must be complete: %j', (paths) => {
      expect(() => selected(paths)).toThrow(
        'the ONNX files of model a/b have another layout than those of svc export or VoxCPM-ONNX',
      );
    });
  });

  it('refuses a config with a declared size of gigabytes', () => {
    const { files, ...rest } = listing(...common, 'model.safetensors', 'audiovae.safetensors');
    const swollen = files.map((file) => (file.path === 'config.json' ? { ...file, size: 2 ** 40 } : file));
    expect(() => selectFiles({ ...rest, files: swollen }, {})).toThrow(
      errorOf('MODEL_INVALID', 'config.json of model a/b is larger than the limit of 256 MB (1099511627776 bytes)'),
    );
  });
});
