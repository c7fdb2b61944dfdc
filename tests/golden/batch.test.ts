import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { expectSameTogether } from '../support/in-batches.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const models = ['tiny-v1', 'tiny-v15', 'tiny-v2'].map((name) => ({ name, path: join(fixtures, `peer-${name}.gguf`) }));

const bytesOf = (samples: Float32Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

describe.each(models)('$name', ({ path }) => {
  let backend: NativeBackend;
  beforeAll(async () => {
    backend = await openNativeBackend(path, { backend: 'cpu', threads: 2 });
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
  });

  it('computes each of four utterances as if alone', () => expectSameTogether(backend, [3, 17, 6, 9]));

  it('returns the same bytes for the same seed, also after reloading the model', async () => {
    const speak = async (): Promise<Buffer> => {
      await using engine = await createEngine({ modelPath: path, backend: 'cpu', threads: 2 });
      const request = { text: 'The birds were singing.', seed: 7, maxLength: 6, retryBadcase: false };
      const first = await engine.synthesize(request);
      const second = await engine.synthesize(request);
      expect(bytesOf(second.samples).equals(bytesOf(first.samples))).toBe(true);
      return bytesOf(first.samples);
    };
    const bytes = await speak();
    expect(bytes.length).toBeGreaterThan(0);
    expect((await speak()).equals(bytes)).toBe(true);
  });
});
