/** A clone of a model's repository without Git LFS has pointers in the place of its large files. */
import { cp, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { openCheckpoint } from '../../export/checkpoint.ts';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { readDocument } from '../../src/book/read-document.ts';
import { createEngine } from '../../src/create-engine.ts';
import { readAdapter } from '../../src/engine/lora/read-adapter.ts';
import { invoke } from '../cli/invoke.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();
const pointer = `version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 1610612736
`;

const place = async (name: string): Promise<string> => {
  const path = folder.join(name);
  await writeFile(path, pointer);
  return path;
};

const refusal = (name: string, code = 'MODEL_INVALID') => ({
  code,
  message: expect.stringMatching(
    new RegExp(`${name}.* is a pointer of Git LFS, not the file itself; .*: git lfs pull$`),
  ),
});

describe('a pointer of Git LFS is named', () => {
  it('in the place of a .gguf file', async () => {
    const path = await place('model.gguf');
    await expect(createEngine({ modelPath: path })).rejects.toMatchObject(refusal('model.gguf'));
    await expect(openCheckpoint(path)).rejects.toMatchObject(refusal('model.gguf'));
  });

  it.each([
    ['config.json', ''],
    ['tokenizer.json', ''],
    ['model.safetensors', ''],
    ['audiovae.safetensors', ''],
    ['pytorch_model.bin', 'model.safetensors'],
    ['audiovae.pth', 'audiovae.safetensors'],
  ])('in the place of the %s of a checkpoint', async (name, other) => {
    const filter = (path: string): boolean => other === '' || !path.endsWith(other);
    await cp('tests/fixtures/tiny-v2/checkpoint', folder.path, { recursive: true, filter });
    await place(name);
    await expect(openCheckpoint(folder.path)).rejects.toMatchObject(refusal(name));
  });

  it.each(['svc-onnx.json', 'voxcpm_prefill.onnx', 'tokenizer.json'])(
    'in the place of the %s of an ONNX model',
    async (name) => {
      await cp('tests/fixtures/voxcpm-onnx', folder.path, { recursive: true });
      await place(name);
      await expect(createEngine({ modelPath: folder.path })).rejects.toMatchObject(refusal(name));
    },
  );

  it.each(['lora_weights.safetensors', 'lora_weights.ckpt'])('in the place of an adapter, %s', async (name) => {
    await expect(readAdapter(await place(name))).rejects.toMatchObject(refusal(name));
  });

  it.each(['book.epub', 'book.txt', 'book.md', 'captions.srt'])('in the place of a book, %s', async (name) => {
    await expect(readDocument(await place(name))).rejects.toMatchObject(refusal(name, 'INVALID_REQUEST'));
  });

  it('in the place of a text, a list, captions and other files of the command line', async () => {
    const others = {
      'texts.jsonl': ['batch', '--output-dir', folder.join('out'), '--input'],
      'text.txt': ['tts', '-o', folder.join('out.wav'), '--text-file'],
      'captions.vtt': ['dub', '-o', folder.join('out.wav'), '--captions'],
      'words.pls': ['tts', 'Hi.', '-o', folder.join('out.wav'), '--lexicon'],
      'other.bin': ['inspect'],
    };
    for (const [name, words] of Object.entries(others)) {
      const { code, stderr } = await invoke([...words, await place(name)]);
      expect([code > 0, stderr]).toEqual([
        true,
        expect.stringMatching(/ is a pointer of Git LFS, .*: git lfs pull\n$/),
      ]);
    }
  });

  it('in the place of a recording', async () => {
    const path = await place('me.wav');
    await expect(readAudioFile(path)).rejects.toMatchObject(refusal('me.wav', 'UNSUPPORTED_AUDIO'));
  });
});
