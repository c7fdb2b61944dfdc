import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { exportGguf } from '../../export/export-gguf.ts';
import type { WeightType } from '../../export/gguf/tensor-types.ts';
import { loadAddon } from '../../src/engine/backends/native/load-addon.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { encoderFingerprint, sameEncoder } from '../../src/voices/encoder-fingerprint.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { encodingEngine } from './encoding-engine.ts';

describe('encoderFingerprint of real encoders', () => {
  const fixtures = 'tests/fixtures';
  const folder = sharedFolder();

  async function fingerprintOf(modelPath: string): Promise<string> {
    await using engine = await createEngine({ modelPath, backend: 'cpu', threads: 1 });
    return await encoderFingerprint(engine);
  }

  async function exported(name: string, type: WeightType): Promise<string> {
    const output = join(folder, `${name}-${type}.gguf`);
    const addon = await loadAddon();
    await exportGguf({
      checkpoint: join(fixtures, name, 'checkpoint'),
      output,
      type,
      limits: {},
      quantize: (tensor, values, rowLength) => addon.quantize(tensor, values, rowLength),
    });
    return output;
  }

  it.each(['tiny-v1', 'tiny-v15', 'tiny-v2'])('is the same for all weight types and converters of %s', async (name) => {
    const whole = await fingerprintOf(await exported(name, 'f32'));
    const small = await fingerprintOf(await exported(name, 'q8_0'));
    const foreign = await fingerprintOf(join(fixtures, `peer-${name}.gguf`));
    // With Q8_0, the encoder is stored as F16, so the last digits differ.
    expect(small).not.toBe(whole);
    expect(sameEncoder(whole, small)).toBe(true);
    expect(sameEncoder(small, foreign)).toBe(true);
  });

  it('differs between models', async () => {
    const paths = [1, 15, 2].map((version) => join(fixtures, `peer-tiny-v${version}.gguf`));
    const all = await Promise.all([...paths, 'models/demo.gguf'].map(fingerprintOf));
    for (const one of all) expect(all.filter((other) => sameEncoder(one, other))).toEqual([one]);
  });
});

describe('encoderFingerprint', () => {
  const sound = [0.5, -1, 2];

  it('is measured once per engine', async () => {
    const { engine, backend } = encodingEngine(sound);
    expect(await encoderFingerprint(engine)).toBe(await encoderFingerprint(engine));
    expect(backend.log).toEqual(['encode']);
  });

  it('is measured again after a failure', async () => {
    let calls = 0;
    const { engine } = encodingEngine(sound, {
      onCall: () => {
        calls += 1;
        if (calls === 1) throw new Error('out of luck');
      },
    });
    await expect(encoderFingerprint(engine)).rejects.toThrow('out of luck');
    expect(await encoderFingerprint(engine)).toMatch(/^[\w/-]+$/);
  });

  it('tolerates small differences, not large ones', async () => {
    const [one, near, far, opposite] = await Promise.all(
      [sound, [0.505, -1.001, 2.02], [0.5, -1, 2.5], [-0.5, 1, -2]].map((frame) =>
        encoderFingerprint(encodingEngine(frame).engine),
      ),
    );
    expect(sameEncoder(one as string, near as string)).toBe(true);
    expect(sameEncoder(near as string, one as string)).toBe(true);
    expect(sameEncoder(one as string, far as string)).toBe(false);
    expect(sameEncoder(one as string, opposite as string)).toBe(false);
  });

  it.each([
    { architecture: 'voxcpm2' },
    { inputSampleRate: 24_000 },
    { patchSize: 4 },
    { inputPatchSamples: 8 },
  ] as const)('differs for a model with %p', async (info) => {
    const one = await encoderFingerprint(encodingEngine(sound).engine);
    const other = await encoderFingerprint(encodingEngine(sound, { info }).engine);
    expect(sameEncoder(one, other)).toBe(false);
  });

  it('never matches an encoder with non-finite output', async () => {
    const [one, broken] = await Promise.all(
      [sound, [1, Number.NaN, 2]].map((x) => encoderFingerprint(encodingEngine(x).engine)),
    );
    expect(sameEncoder(one as string, broken as string)).toBe(false);
  });

  it.each(['', '/', 'one', 'a/b', 'voxcpm/16000/4/2x3/AAA'])('does not accept %p as a known encoder', async (text) => {
    expect(sameEncoder(await encoderFingerprint(encodingEngine(sound).engine), text)).toBe(false);
  });
});
