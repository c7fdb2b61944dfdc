import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createEngineFromBackend, type Progress } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { collect } from '../support/collect.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { createFakeBackend, type FakeOptions } from './fake-backend.ts';

const setUp = (options: FakeOptions = {}) => {
  const backend = createFakeBackend(options);
  return { backend, engine: createEngineFromBackend(backend, { maxBatch: 4 }) };
};

const audio = { samples: new Float32Array(9).fill(0.1), sampleRate: 16_000, channels: 1 };
const prompt = { promptAudio: audio, promptText: 'one' };

describe('synthesize', () => {
  it('returns audio and its details', async () => {
    const { engine, backend } = setUp({ stopAt: 4 });
    const progress: Progress[] = [];
    const speech = await engine.synthesize(
      { text: 'hello', seed: 7 },
      { onProgress: (report) => progress.push(report) },
    );
    expect(speech).toMatchObject({ sampleRate: 16_000, patches: 5, end: 'stop', seed: 7, attempts: 1 });
    expect([...speech.samples]).toEqual([0, 1, 2, 3, 4].flatMap((value) => Array(4).fill(value)));
    expect(progress.map(({ patches }) => patches)).toEqual([1, 2, 3, 4, 5]);
    expect(progress[0]).toMatchObject({ attempt: 1, maxPatches: 46 });
    expect(backend.log.at(-1)).toBe('close 0');
  });

  it('refuses timestamps that are none, rather than leave them out', async () => {
    const { engine, backend } = setUp({ stopAt: 0 });
    const wrong = { timestamps: 'wrds' as 'words' };
    const message = 'timestamps must be one of none, words, got "wrds"; did you mean "words"?';
    await expect(engine.synthesize({ text: 'hello' }, wrong)).rejects.toThrow(message);
    expect(() => engine.stream({ text: 'hello' }, wrong)).toThrow(message);
    expect(backend.opened).toEqual([]);
  });

  it('chooses a random 32-bit seed and reports it', async () => {
    const { engine } = setUp({ stopAt: 0 });
    const { seed } = await engine.synthesize({ text: 'hello' });
    expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32).toBe(true);
  });

  it('regenerates an utterance that is too long with the next seed, up to three attempts', async () => {
    const { engine, backend } = setUp();
    const attempts: number[] = [];
    const speech = await engine.synthesize(
      { text: 'a', seed: 0xffffffff },
      { onProgress: ({ attempt }) => attempts.push(attempt) },
    );
    // Two tokens: the threshold is 12 patches, the limit 22. Only the last attempt reaches the limit.
    expect(speech).toMatchObject({ patches: 22, end: 'limit', seed: 1, attempts: 3 });
    expect([1, 2, 3].map((attempt) => attempts.filter((one) => one === attempt).length)).toEqual([12, 12, 22]);
    expect(backend.opened.map(({ closed }) => closed)).toEqual([true, true, true]);
  });

  it('keeps the first good attempt', async () => {
    const { engine, backend } = setUp({ stopAt: 10 });
    expect(await engine.synthesize({ text: 'a', seed: 1 })).toMatchObject({ patches: 11, attempts: 1 });
    expect(backend.opened).toHaveLength(1);
  });

  it('counts context patches for VoxCPM 1 but not for VoxCPM 2', async () => {
    const v1 = setUp({ stopAt: 10 });
    expect(await v1.engine.synthesize({ text: 'a', ...prompt })).toMatchObject({ attempts: 3 });
    const v2 = setUp({ stopAt: 10, info: { architecture: 'voxcpm2' } });
    expect(await v2.engine.synthesize({ text: 'a', ...prompt })).toMatchObject({ attempts: 1 });
  });

  it('does not retry if retries are disabled', async () => {
    const { engine } = setUp();
    expect(await engine.synthesize({ text: 'a', retryBadcase: false })).toMatchObject({ attempts: 1, patches: 22 });
  });

  it('returns the same samples for the reported seed', async () => {
    const { engine } = setUp();
    const chunksOf = async (seed: number) =>
      (await collect(engine.stream({ text: 'a', seed }))).map(({ patch }) => [...patch]);
    expect(await chunksOf(3)).toEqual(await chunksOf(3));
    expect(await chunksOf(3)).not.toEqual(await chunksOf(4));
  });

  it('encodes prompt and reference, padded to patches', async () => {
    const { engine, backend } = setUp({ stopAt: 0, info: { architecture: 'voxcpm2' } });
    await engine.synthesize({ text: 'two', ...prompt, referenceAudio: audio });
    // 103, 3 patches of reference, 104, tokens of "onetwo", 101, 3 patches of prompt.
    const [prefix] = backend.prefixes;
    expect(backend.log.slice(0, 4)).toEqual(['encode', 'encode', 'open', 'decode 0']);
    expect([...(prefix?.tokens ?? [])].filter((token) => token >= 100)).toEqual([103, 104, 101]);
    expect([...(prefix?.audioMask ?? [])].filter(Boolean)).toHaveLength(6);
    expect(prefix?.features).toHaveLength(36);
  });

  it('accepts encoded audio', async () => {
    const { engine, backend } = setUp({ stopAt: 0 });
    const encoded = await engine.encode(audio, 'prompt');
    expect(encoded).toMatchObject({ role: 'prompt' });
    await engine.synthesize({ text: 'two', promptAudio: encoded, promptText: 'one' });
    expect(backend.log.filter((entry) => entry === 'encode')).toHaveLength(1);
  });

  it('refuses to encode audio without samples', async () => {
    const { engine, backend } = setUp();
    const encoding = engine.encode({ ...audio, samples: new Float32Array(0) }, 'prompt');
    await expect(encoding).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(backend.log).toEqual([]);
  });

  it("limits speech to the model's positions, and refuses a prefix that leaves none", async () => {
    const { engine } = setUp({ info: { contextLength: 12 } });
    expect(await engine.synthesize({ text: 'hello', retryBadcase: false })).toMatchObject({ patches: 5, end: 'limit' });
    await expect(engine.synthesize({ text: 'hello hello' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/^text and recordings take \d+ positions, .* context of 12; shorten them$/),
    });
  });

  it('shares passes between concurrent utterances', async () => {
    const { engine, backend } = setUp({ stopAt: 3 });
    await Promise.all([1, 2, 3].map((seed) => engine.synthesize({ text: 'hello', seed })));
    expect(backend.log).toContain('step 0+1+2');
    expect(backend.log).toContain('decode 0+1+2');
  });

  it('ends the utterance when onProgress throws', async () => {
    const { engine, backend } = setUp();
    const run = engine.synthesize(
      { text: 'hello' },
      {
        onProgress: () => {
          throw new Error('enough');
        },
      },
    );
    await expect(run).rejects.toThrow('enough');
    expect(backend.opened.map(({ closed }) => closed)).toEqual([true]);
  });

  it('rejects unsupported requests before computing', async () => {
    const { engine, backend } = setUp();
    await expect(engine.synthesize({ text: 'a', referenceAudio: audio })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(() => engine.stream({ text: ' ' })).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    expect(backend.log).toEqual([]);
  });

  it('can be canceled before, during and after', async () => {
    const { engine, backend } = setUp({ stopAt: 5 });
    await expect(engine.synthesize({ text: 'a' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(backend.log).toEqual([]);
    const controller = new AbortController();
    const run = engine.synthesize({ text: 'a' }, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    const late = new AbortController();
    await engine.synthesize({ text: 'a' }, { signal: late.signal });
    late.abort();
    await backend.settled();
    expect(backend.opened.map(({ closed }) => closed)).toEqual([true, true]);
  });
});

describe('stream', () => {
  it('returns the audio of synthesize without retries', async () => {
    const { engine, backend } = setUp();
    const stream = engine.stream({ text: 'a', seed: 5 });
    expect(stream).toMatchObject({ seed: 5, sampleRate: 16_000 });
    expect(backend.log).toEqual([]);
    expect(await collect(stream)).toHaveLength(22);
    expect(backend.opened).toHaveLength(1);
  });

  it('omits chunks without audio', async () => {
    const { engine } = setUp({ stopAt: 0 });
    const chunks = await collect(
      engine.stream({ text: 'a', promptAudio: { ...audio, samples: new Float32Array(3) }, promptText: 'b' }),
    );
    expect(chunks.map(({ index }) => index)).toEqual([1, 2, 3]);
  });

  it('runs next to a stream that nobody reads', async () => {
    const { engine } = setUp({ stopAt: 4 });
    const idle = engine.stream({ text: 'hello' })[Symbol.asyncIterator]();
    await idle.next();
    expect(await collect(engine.stream({ text: 'hello' }))).toHaveLength(5);
    await engine.close();
    await expect(idle.next()).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('close', () => {
  it('cancels running calls, closes all sessions and frees the model, once', async () => {
    const { engine, backend } = setUp();
    const running = [
      engine.synthesize({ text: 'hello' }),
      engine.synthesize({ text: 'there' }),
      collect(engine.stream({ text: 'you' })),
    ];
    const outcomes = Promise.allSettled(running);
    await backend.called(10);
    await Promise.all([engine.close(), engine.close()]);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'CANCELLED', message: 'canceled because the engine was closed' },
      });
    }
    expect(backend.disposed()).toBe(true);
    expect([...new Set(backend.opened.map(({ closed }) => closed))]).toEqual([true]);
  });

  it('makes later calls reject', async () => {
    const { engine } = setUp();
    const stream = engine.stream({ text: 'hello' });
    await engine[Symbol.asyncDispose]();
    const closed = { code: 'BACKEND_UNAVAILABLE' };
    await expect(engine.synthesize({ text: 'hello' })).rejects.toMatchObject(closed);
    await expect(engine.encode(audio, 'prompt')).rejects.toMatchObject(closed);
    await expect(collect(stream)).rejects.toMatchObject(closed);
  });
});

it('refuses to encode for an unknown role', async () => {
  await expect(setUp().engine.encode(audio, 'foo' as never)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'role must be one of prompt, reference, got "foo"',
  });
});

describe('createEngine', () => {
  const folder = sharedFolder();
  beforeAll(async () => {
    await writeFile(join(folder, 'model.bin'), 'x');
  });

  it('reports an invalid model path', async () => {
    await expect(createEngine({ modelPath: folder })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: `${folder} contains neither an ONNX model nor a checkpoint; give a .gguf file`,
    });
    const incomplete = join(folder, 'incomplete');
    await mkdir(incomplete);
    await writeFile(join(incomplete, 'config.json'), '{}');
    await expect(createEngine({ modelPath: incomplete })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(
        /incomplete is not a complete checkpoint; beside config\.json, put model\.safetensors or .* and tokenizer\.json$/,
      ),
    });
    const models = join(folder, 'models');
    await mkdir(models);
    await writeFile(join(models, 'b.gguf'), 'x');
    await writeFile(join(models, 'a.gguf'), 'x');
    await expect(createEngine({ modelPath: models })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: `${models} is a folder of .gguf files; name one of them, such as ${join(models, 'a.gguf')}`,
    });
    await expect(createEngine({ modelPath: join(folder, 'model.bin') })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
    });
    await expect(createEngine({ modelPath: join(folder, 'none.gguf') })).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: `no such file or folder: ${join(folder, 'none.gguf')}`,
    });
    await expect(createEngine({ threads: 0 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
