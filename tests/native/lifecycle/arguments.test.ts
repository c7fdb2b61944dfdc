/** The addon refuses invalid arguments and continues to work. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NativeModel } from '../../../src/engine/backends/native/addon.ts';
import { loadAddon } from '../../../src/engine/backends/native/load-addon.ts';
import { fixture } from './child.ts';

const addon = await loadAddon();
const invalid = { code: 'INVALID_REQUEST' };

/** A typed array with a detached buffer. */
function detached(): Float32Array {
  const values = new Float32Array(64);
  structuredClone(values, { transfer: [values.buffer] });
  return values;
}

/** Invalid values for numbers and for arrays of numbers. */
const notNumbers = [undefined, null, '1', 1n, {}, [], Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const notIntegers = [...notNumbers, 0.5, -1, 2 ** 31, 1e300];
const notFloats = [undefined, null, 1, 'a', [], [1], {}, new Float64Array(4), new Int8Array(4), new ArrayBuffer(16)];
const notFinite = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) =>
  new Float32Array(64).fill(value),
);
const notTexts = [undefined, null, 1, {}, [], Symbol('a'), 'tiny\0'];

/** Calls any member with any arguments. */
type Any = (...args: unknown[]) => unknown;
const call = async (target: object, name: string, ...args: unknown[]): Promise<unknown> =>
  (Reflect.get(target, name) as Any).apply(target, args);

async function refused(target: object, name: string, ...args: unknown[]): Promise<void> {
  await expect(call(target, name, ...args)).rejects.toMatchObject(invalid);
}

describe('functions', () => {
  const values = new Float32Array(64).fill(1);

  it('openModel', async () => {
    const path = fixture('tiny-v1');
    for (const wrong of notTexts) await refused(addon, 'openModel', wrong, 'CPU', 1, '');
    for (const wrong of notTexts) await refused(addon, 'openModel', path, wrong, 1, '');
    for (const wrong of [...notIntegers, 0, 513]) await refused(addon, 'openModel', path, 'CPU', wrong, '');
    for (const wrong of notTexts) await refused(addon, 'openModel', path, 'CPU', 1, wrong);
    await expect(call(addon, 'openModel', path, 'no device', 1, '')).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  it('load and explainLibrary', async () => {
    for (const wrong of [undefined, 'a', {}, [1], [null]]) await refused(addon, 'load', wrong);
    for (const wrong of notTexts) await refused(addon, 'explainLibrary', wrong);
  });

  it('those of GPUs', async () => {
    for (const wrong of notTexts) {
      for (const name of ['loadDevices', 'openCheck', 'deviceMemory']) await refused(addon, name, wrong);
    }
    for (const wrong of [...notIntegers, -1, 0]) await refused(addon, 'runCheck', wrong);
    for (const name of ['openCheck', 'deviceMemory']) {
      expect(() => Reflect.apply(Reflect.get(addon, name), addon, ['none'])).toThrow('there is no device none');
    }
    expect(() => addon.loadDevices('/nowhere/libggml-none.so')).toThrow('/nowhere/libggml-none.so');
  });

  it('quantize', async () => {
    for (const wrong of [...notTexts, 'q9', 'q8_1x', 'i32']) await refused(addon, 'quantize', wrong, values, 32);
    for (const wrong of [...notFloats, ...notFinite]) await refused(addon, 'quantize', 'q8_0', wrong, 32);
    for (const wrong of [...notIntegers, 0, 31, 48]) await refused(addon, 'quantize', 'q8_0', values, wrong);
    expect(addon.quantize('q8_0', detached(), 32)).toHaveLength(0);
    expect(addon.quantize('q8_0', new Float32Array(new SharedArrayBuffer(256)), 32)).toHaveLength(68);
  });

  it('multiply', async () => {
    const multiply = (...args: unknown[]): Promise<void> => refused(addon, 'multiply', ...args);
    for (const wrong of notTexts) await multiply(wrong, 'f32', values, 32, values, 1);
    for (const wrong of [...notTexts, 'i32', 'iq2_xxs']) await multiply('portable', wrong, values, 32, values, 1);
    for (const wrong of [...notFloats, ...notFinite, detached(), new Float32Array(3)]) {
      await multiply('portable', 'f32', wrong, 32, values, 1);
      await multiply('portable', 'f32', values, 32, wrong, 1);
    }
    for (const wrong of [...notIntegers, 0, 48]) await multiply('portable', 'q8_0', values, wrong, values, 1);
    for (const wrong of [...notIntegers, 0, 513]) await multiply('portable', 'f32', values, 32, values, wrong);
    expect(addon.multiply('portable', 'f32', values, 32, values, 2)).toEqual(new Float32Array(4).fill(32));
  });

  it('typeTraits', async () => {
    for (const wrong of [...notTexts, 'q9']) await refused(addon, 'typeTraits', wrong);
  });
});

describe('a model', () => {
  let model: NativeModel;
  let noise: Float32Array;
  beforeAll(async () => {
    model = await addon.openModel(fixture('tiny-v1'), 'CPU', 1, '');
    await model.load();
    noise = new Float32Array(model.info.patchSize * model.info.featureDim).fill(0.1);
  });
  afterAll(() => model.close());

  const tokens = new Int32Array(8).fill(1);
  const mask = new Uint8Array(8);
  const features = new Float32Array(0);
  const settings = { tokens, audioMask: mask, features, cfg: 2, timesteps: 4 };

  async function openSession(): Promise<number> {
    const session = await model.open(settings);
    while (!(await model.prefill(session)));
    return session;
  }

  it('is created by openModel only', () => {
    const Model = model.constructor as new (...args: unknown[]) => unknown;
    for (const argument of [undefined, {}, 1, model]) expect(() => new Model(argument)).toThrow(/use openModel\(\)/);
  });

  it('has methods that accept models only', async () => {
    for (const name of ['open', 'encode', 'close', 'metadata', 'stageTimes', 'memoryUse', 'step']) {
      const method = Reflect.get(model, name) as Any;
      await expect((async () => method.call({}, 1))()).rejects.toThrow('Illegal invocation');
    }
  });

  it('open', async () => {
    for (const wrong of notNumbers) await refused(model, 'open', wrong);
    for (const wrong of [...notFloats, new Float32Array(8), new Int32Array(0), new Int32Array(9)]) {
      await refused(model, 'open', { ...settings, tokens: wrong });
    }
    for (const token of [-1, model.info.vocabSize, 2 ** 31 - 1]) {
      await refused(model, 'open', { ...settings, tokens: new Int32Array(8).fill(token) });
    }
    for (const wrong of [...notFloats, new Uint8Array(7), new Uint8Array(8).fill(2), detached()]) {
      await refused(model, 'open', { ...settings, audioMask: wrong });
    }
    for (const wrong of [...notFloats, ...notFinite, new Float32Array(1)]) {
      await refused(model, 'open', { ...settings, features: wrong });
    }
    for (const wrong of notNumbers) await refused(model, 'open', { ...settings, cfg: wrong });
    for (const wrong of [...notIntegers, 0, 1001]) await refused(model, 'open', { ...settings, timesteps: wrong });
  });

  it('openAdapter and closeAdapter', async () => {
    const { hiddenSize } = model.info;
    const target = 'base_lm.layers.0.self_attn.o_proj';
    const [a, b] = [new Float32Array(2 * hiddenSize), new Float32Array(hiddenSize * 2)];
    const ranks = Int32Array.of(2);
    const openAdapter = (...args: unknown[]): Promise<unknown> => call(model, 'openAdapter', ...args);
    for (const wrong of [undefined, target, [1], [target, target], { length: 1 }]) {
      await refused(model, 'openAdapter', wrong, ranks, [a], [b], 1);
    }
    for (const wrong of [...notFloats, new Int32Array(2)])
      await refused(model, 'openAdapter', [target], wrong, [a], [b], 1);
    for (const wrong of [...notFloats.map((value) => [value]), a, [], [a, a]]) {
      await refused(model, 'openAdapter', [target], ranks, wrong, [b], 1);
      await refused(model, 'openAdapter', [target], ranks, [a], wrong, 1);
    }
    for (const wrong of notNumbers) await refused(model, 'openAdapter', [target], ranks, [a], [b], wrong);

    const unfit = (message: string) => ({ code: 'MODEL_INVALID', message: expect.stringContaining(message) });
    const shape = `lora_A of "${target}" is 2×${hiddenSize - 1}, expected 2×${hiddenSize}`;
    await expect(openAdapter([target], ranks, [a.slice(2)], [b], 1)).rejects.toMatchObject(unfit(shape));
    for (const wrong of [a.slice(1), new Float32Array(0), detached(), new Float32Array(1 << 20)]) {
      await expect(openAdapter([target], ranks, [wrong], [b], 1)).rejects.toMatchObject(unfit(`lora_A of "${target}"`));
      await expect(openAdapter([target], ranks, [a], [wrong], 1)).rejects.toMatchObject(unfit(`lora_B of "${target}"`));
    }
    for (const rank of [0, -1, -(2 ** 31), 4097, 2 ** 31 - 1]) {
      await expect(openAdapter([target], Int32Array.of(rank), [a], [b], 1)).rejects.toMatchObject(unfit('the rank of'));
    }
    for (const rank of [1, 3, 4096]) {
      await expect(openAdapter([target], Int32Array.of(rank), [a], [b], 1)).rejects.toMatchObject(unfit('expected'));
    }
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const broken = a.slice().fill(value, 7, 8);
      await expect(openAdapter([target], ranks, [broken], [b], 1)).rejects.toMatchObject(unfit('infinity or NaN'));
      await expect(openAdapter([target], ranks, [a], [broken], 1)).rejects.toMatchObject(unfit('infinity or NaN'));
    }
    await expect(openAdapter([target], ranks, [a], [b], 1e300)).rejects.toMatchObject(unfit('scale'));
    await expect(openAdapter([], new Int32Array(0), [], [], 1)).rejects.toMatchObject(unfit('no matrices'));
    const twice = openAdapter([target, target], Int32Array.of(2, 2), [a, a], [b, b], 1);
    await expect(twice).rejects.toMatchObject(unfit('twice'));
    for (const unknown of [
      '',
      'base_lm.layers.99.self_attn.q_proj',
      'base_lm.layers.0.mlp.up_proj',
      'fusion_concat_proj',
    ]) {
      await expect(openAdapter([unknown], ranks, [a], [b], 1)).rejects.toMatchObject(unfit(`"${unknown}"`));
    }

    const adapter = await model.openAdapter([target], ranks, [a], [b], 1);
    const openWith = (use: object) => call(model, 'open', { ...settings, ...use });
    for (const wrong of [...notIntegers.slice(1), 999]) await refused({ openWith }, 'openWith', { adapter: wrong });
    for (const wrong of [...notNumbers.slice(1), 1e300])
      await refused({ openWith }, 'openWith', { adapter, weight: wrong });
    for (const wrong of notIntegers) await refused(model, 'closeAdapter', wrong);
    await model.closeAdapter(adapter);
    await model.closeAdapter(adapter);
    await refused({ openWith }, 'openWith', { adapter });
  });

  it('reports an adapter whose values overflow', async () => {
    const { hiddenSize } = model.info;
    const factor = new Float32Array(hiddenSize).fill(3e38);
    const adapter = await model.openAdapter(
      ['base_lm.layers.0.self_attn.o_proj'],
      Int32Array.of(1),
      [factor],
      [factor],
      1,
    );
    const session = await model.open({ ...settings, adapter, weight: 1 });
    while (!(await model.prefill(session)));
    const [step] = await model.step([session], [noise], 'plain');
    expect(step?.failure).toContain('infinity or NaN with the adapter');
    await model.closeSession(session);
    await model.closeAdapter(adapter);
  });

  it('step, decode, prefill and closeSession', async () => {
    const session = await openSession();
    for (const name of ['prefill', 'closeSession']) {
      for (const wrong of [...notIntegers, 0, 999]) await refused(model, name, wrong);
    }
    for (const name of ['step', 'decode']) {
      for (const wrong of [...notNumbers, [], [Number.NaN], [0.5], [-1], [999], ['1'], [session, session]]) {
        await refused(model, name, wrong, [noise], 'plain');
        await refused(model, name, wrong, [noise, noise], 'plain');
      }
      for (const wrong of [
        ...notNumbers,
        [noise, noise],
        ...[...notFloats, ...notFinite, detached()].map((one) => [one]),
      ]) {
        await refused(model, name, [session], wrong, 'plain');
      }
    }
    await refused(model, 'step', [session], [noise], undefined);
    // The session is unaffected.
    const [first] = await model.step([session], [noise], 'plain');
    expect(first?.patch.every(Number.isFinite)).toBe(true);
    await model.closeSession(session);
    await refused(model, 'closeSession', session);
    await refused(model, 'step', [session], [noise], 'plain');
    await refused(model, 'decode', [session], [noise]);
    // Handles are not reused.
    const next = await openSession();
    expect(next).not.toBe(session);
    await refused(model, 'step', [session], [noise], 'plain');
    await model.closeSession(next);
  });

  it('a session without a computed prefix', async () => {
    const session = await model.open(settings);
    await refused(model, 'step', [session], [noise], 'plain');
    await refused(model, 'decode', [session], [noise]);
    await model.closeSession(session);
    await refused(model, 'prefill', session);
  });

  it('encodings', async () => {
    for (const wrong of [...notFloats, ...notFinite]) await refused(model, 'openEncoding', wrong);
    for (const wrong of [...notIntegers, 0, 999]) await refused(model, 'encode', wrong);
    for (const wrong of notIntegers) await refused(model, 'closeEncoding', wrong);
    const empty = await model.openEncoding(detached());
    expect(await model.encode(empty)).toHaveLength(0);
    await model.closeEncoding(empty);
    await model.closeEncoding(empty);
    await refused(model, 'encode', empty);
  });

  it('metadata and probe', async () => {
    for (const wrong of notTexts) await refused(model, 'metadata', wrong);
    for (const wrong of [...notTexts, 'no stage']) await refused(model, 'probe', wrong, {}, {});
    for (const wrong of [undefined, null, 1, 'a']) {
      await refused(model, 'probe', 'fsq', wrong, {});
      await refused(model, 'probe', 'fsq', { in: { data: new Float32Array(64), shape: [] } }, wrong);
      await refused(model, 'probe', 'fsq', { in: wrong }, {});
    }
    for (const wrong of notNumbers) await refused(model, 'probe', 'flow', {}, { timesteps: wrong });
    const stages = [
      'baseLm',
      'residualLm',
      'prefill',
      'flow',
      'vaeEncoder',
      'vaeDecoder',
      'embed',
      'localEncoder',
      'fsq',
      'stop',
      'localDit',
    ];
    const names = [
      'prefill',
      'steps',
      'audioMask',
      'tokens',
      'features',
      'z',
      'mu',
      'cond',
      'x',
      't',
      'dt',
      'samples',
      'latents',
      'ids',
      'patches',
      'in',
    ];
    for (const stage of stages) {
      for (const data of [new Float32Array(0), new Float32Array(3), new Int32Array(0), new Int32Array(3).fill(-1)]) {
        const inputs = Object.fromEntries(names.map((name) => [name, { data, shape: [] }]));
        // Any number of samples is a valid recording.
        if (stage === 'vaeEncoder' && data instanceof Float32Array && data.length > 0) continue;
        await refused(model, 'probe', stage, inputs, {});
      }
    }
  });

  it('refuses work before its weights are loaded', async () => {
    const described = await addon.openModel(fixture('tiny-v1'), 'CPU', 1, '');
    await refused(described, 'open', settings);
    await refused(described, 'openEncoding', new Float32Array(640));
    await refused(described, 'openAdapter', [], 1);
    await refused(described, 'probe', 'localDit', {}, {});
    for (const name of ['prefill', 'closeSession', 'closeEncoding'] as const)
      await call(described, name, 1).catch(() => {});
    await Promise.all([described.load(), described.load()]);
    await expect(described.open(settings)).resolves.toBe(1);
    await described.close();
  });

  it('refuses every call except close once it is closed', async () => {
    const closed = await addon.openModel(fixture('tiny-v1'), 'CPU', 1, '');
    await closed.load();
    const pending = closed.open(settings);
    await Promise.all([closed.close(), closed.close()]);
    await expect(pending).resolves.toBeGreaterThan(0);
    expect(() => closed.info).toThrow(/the model is closed/);
    for (const name of [
      'load',
      'metadata',
      'stageTimes',
      'memoryUse',
      'openEncoding',
      'encode',
      'closeEncoding',
      'open',
      'prefill',
      'step',
      'decode',
      'closeSession',
      'probe',
    ]) {
      await refused(closed, name, 1);
    }
    await closed.close();
  });
});
