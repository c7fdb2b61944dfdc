import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Prefix, Session, StepInput } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { concatenate } from '../../src/float-arrays.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const models = ['tiny-v1', 'tiny-v15', 'tiny-v2'].map((name) => ({ name, path: join(fixtures, `peer-${name}.gguf`) }));
const steps = 4;

const bytesOf = (samples: Float32Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

describe.each(models)('$name', ({ path }) => {
  let backend: NativeBackend;
  beforeAll(async () => {
    backend = await openNativeBackend(path, { backend: 'cpu', threads: 2 });
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
  });

  const patchLength = (): number => backend.info.patchSize * backend.info.featureDim;

  /** Prefixes of different lengths, two of them ending with audio. */
  function prefixes(): Prefix[] {
    return [3, 17, 6, 9].map((length, member) => {
      const audio = member % 2 === 0 ? 0 : 2;
      const tokens = Int32Array.from({ length: length + audio }, (_, at) => (at < length ? 300 + 7 * at + member : 0));
      const audioMask = Uint8Array.from(tokens, (_, at) => (at < length ? 0 : 1));
      return { tokens, audioMask, features: seededNoise(member).next(audio * patchLength()) };
    });
  }

  /** Latents and audio of `steps` patches of every member, computed in batches of `group`. */
  async function compute(group: number): Promise<{ latents: Float32Array[]; audio: Float32Array[] }> {
    const all = prefixes();
    const latents: Float32Array[] = [];
    const audio: Float32Array[] = [];
    for (let first = 0; first < all.length; first += group) {
      const members = all.slice(first, first + group);
      const sessions: Session[] = [];
      for (const prefix of members) sessions.push(await backend.open({ ...prefix, cfg: 2, timesteps: 6 }));
      const sources = members.map((_, index) => seededNoise(100 + first + index));
      const patches: Float32Array[][] = members.map(() => []);
      const chunks: Float32Array[][] = members.map(() => []);
      for (let step = 0; step < steps; step++) {
        const batch: StepInput[] = sessions.map((session, index) => ({
          session,
          noise: (sources[index] as ReturnType<typeof seededNoise>).next(patchLength()),
        }));
        const made = await backend.step(batch);
        const decoded = await backend.decode(
          sessions.map((session, index) => ({ session, patches: (made[index] as { patch: Float32Array }).patch })),
        );
        for (const index of members.keys()) {
          patches[index]?.push((made[index] as { patch: Float32Array }).patch);
          chunks[index]?.push(decoded[index] as Float32Array);
        }
      }
      for (const session of sessions) await session.close();
      latents.push(...patches.map(concatenate));
      audio.push(...chunks.map(concatenate));
    }
    return { latents, audio };
  }

  const largestDifference = (actual: Float32Array, expected: Float32Array): number =>
    expected.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (actual[index] as number))), 0);

  it('computes each of four utterances as if alone', async () => {
    const alone = await compute(1);
    const together = await compute(4);
    for (const [member, expected] of alone.latents.entries()) {
      expect(together.latents[member]).toHaveLength(steps * patchLength());
      expect(largestDifference(together.latents[member] as Float32Array, expected)).toBeLessThan(1e-4);
      const audio = alone.audio[member] as Float32Array;
      expect(audio).toHaveLength(steps * backend.info.patchSamples);
      expect(largestDifference(together.audio[member] as Float32Array, audio)).toBeLessThan(1e-4);
    }
  });

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
