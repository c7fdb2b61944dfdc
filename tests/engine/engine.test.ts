import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createEngineFromBackend, type Progress } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { collect } from '../support/collect.ts';
import { expectError } from '../support/errors.ts';
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
    const onProgress = (report: Progress) => progress.push(report);
    const speech = await engine.synthesize({ text: 'hello', seed: 7 }, { onProgress });
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
    const onProgress = ({ attempt }: Progress) => attempts.push(attempt);
    const speech = await engine.synthesize({ text: 'a', seed: 0xffffffff }, { onProgress });
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
    await expectError(
      engine.synthesize({ text: 'hello hello' }),
      'INVALID_REQUEST',
      /^text and recordings take \d+ positions, .* context of 12; shorten them$/,
    );
  });

  it('shares passes between concurrent utterances', async () => {
    const { engine, backend } = setUp({ stopAt: 3 });
    await Promise.all([1, 2, 3].map((seed) => engine.synthesize({ text: 'hello', seed })));
    expect(backend.log).toContain('step 0+1+2');
    expect(backend.log).toContain('decode 0+1+2');
  });

  it('ends the utterance when onProgress throws', async () => {
    const { engine, backend } = setUp();
    const onProgress = (): void => {
      throw new Error('enough');
    };
    const run = engine.synthesize({ text: 'hello' }, { onProgress });
    await expect(run).rejects.toThrow('enough');
    expect(backend.opened.map(({ closed }) => closed)).toEqual([true]);
  });

  it('rejects unsupported requests before computing', async () => {
    const { engine, backend } = setUp();
    const refusal = expect.objectContaining({ code: 'INVALID_REQUEST' });
    await expect(engine.synthesize({ text: 'a', referenceAudio: audio })).rejects.toEqual(refusal);
    expect(() => engine.stream({ text: ' ' })).toThrow(refusal);
    expect(backend.log).toEqual([]);
  });

  it('can be canceled before, during and after', async () => {
    const { engine, backend } = setUp({ stopAt: 5 });
    const before = engine.synthesize({ text: 'a' }, { signal: AbortSignal.abort() });
    await expect(before).rejects.toMatchObject({ code: 'CANCELLED' });
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
    const promptAudio = { ...audio, samples: new Float32Array(3) };
    const chunks = await collect(engine.stream({ text: 'a', promptAudio, promptText: 'b' }));
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
    const running = ['hello', 'there'].map((text) => engine.synthesize({ text }));
    const outcomes = Promise.allSettled([...running, collect(engine.stream({ text: 'you' }))]);
    await backend.called(10);
    await Promise.all([engine.close(), engine.close()]);
    const reason = { code: 'CANCELLED', message: 'canceled because the engine was closed' };
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason });
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
  const refused = setUp().engine.encode(audio, 'foo' as never);
  await expectError(refused, 'INVALID_REQUEST', 'role must be one of prompt, reference, got "foo"');
});

describe('createEngine', () => {
  const folder = sharedFolder();

  it('reports an invalid model path', async () => {
    const files = ['incomplete/config.json', 'models/b.gguf', 'models/a.gguf', 'model.bin'];
    for (const name of ['incomplete', 'models']) await mkdir(join(folder, name));
    for (const name of files) await writeFile(join(folder, name), name.endsWith('json') ? '{}' : 'x');
    const refuses = (name: string, code: string, message: string | RegExp) =>
      expectError(createEngine({ modelPath: join(folder, name) }), code, message);
    const neither = 'contains neither an ONNX model nor a checkpoint; give a .gguf file';
    await refuses('.', 'MODEL_INVALID', `${folder} ${neither}`);
    const missing = 'beside config\\.json, put model\\.safetensors or .* and tokenizer\\.json$';
    await refuses('incomplete', 'MODEL_INVALID', new RegExp(`incomplete is not a complete checkpoint; ${missing}`));
    const models = join(folder, 'models');
    const several = `is a folder of .gguf files; name one of them, such as ${join(models, 'a.gguf')}`;
    await refuses('models', 'MODEL_INVALID', `${models} ${several}`);
    await refuses('model.bin', 'MODEL_INVALID', /./);
    await refuses('none.gguf', 'MODEL_NOT_FOUND', `no such file or folder: ${join(folder, 'none.gguf')}`);
    await expect(createEngine({ threads: 0 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
