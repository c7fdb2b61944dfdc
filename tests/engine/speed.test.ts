import { describe, expect, it } from '@jest/globals';
import { createSpeed } from '../../src/audio/resample/speed.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import type { SpeechRequest } from '../../src/engine/speech-request.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { createFakeBackend } from './fake-backend.ts';

const request: SpeechRequest = { text: 'One sentence. Another sentence.', seed: 7 };
const open = () => createEngineFromBackend(createFakeBackend({ stopAt: 20 }), { maxBatch: 2 });

/** Output of the filter for the whole at once. */
async function stretched(samples: Float32Array, sampleRate: number, speed: number): Promise<Float32Array> {
  const filter = await createSpeed(sampleRate, speed);
  const whole = concatenate([filter.push(samples), filter.flush()]);
  filter.close();
  return whole;
}

describe('the speed of a request', () => {
  it.each([0.5, 1, 1.3])('%d is the same for a whole text, its parts, and its patches', async (speed) => {
    await using engine = open();
    const plain = await engine.synthesize(request);
    const { samples, ...details } = await engine.synthesize({ ...request, speed });
    expect(samples.length).toBe(Math.round(plain.samples.length / speed));
    expect(samples).toEqual(await stretched(plain.samples, plain.sampleRate, speed));
    expect(details).toEqual({ ...plain, samples: undefined });

    const parts: Float32Array[] = [];
    for await (const part of engine.synthesizeParts({ ...request, speed })) parts.push(part.samples);
    expect(concatenate(parts)).toEqual(samples);

    const [streamed, heard]: [Float32Array[], Float32Array[]] = [[], []];
    for await (const chunk of engine.stream(request)) streamed.push(chunk.samples);
    let patches = 0;
    for await (const chunk of engine.stream({ ...request, speed })) {
      heard.push(chunk.samples);
      if (chunk.patch.length > 0) patches += 1;
    }
    expect(concatenate(heard)).toEqual(await stretched(concatenate(streamed), plain.sampleRate, speed));
    expect(patches).toBe(streamed.length);
  });

  it('frees its filter when a stream is left', async () => {
    await using engine = open();
    for await (const { samples } of engine.stream({ ...request, speed: 2 })) {
      expect(samples).toBeInstanceOf(Float32Array);
      break;
    }
    expect((await engine.synthesize({ ...request, speed: 2 })).samples.length).toBeGreaterThan(0);
  });

  it('is checked', async () => {
    await using engine = open();
    for (const speed of [0, 5, Number.NaN]) {
      const refused = expect.objectContaining({ code: 'INVALID_REQUEST', param: 'speed' });
      await expect(engine.synthesize({ ...request, speed })).rejects.toEqual(refused);
      expect(() => engine.stream({ ...request, speed })).toThrow(refused);
      expect(() => engine.check({ ...request, speed })).toThrow(refused);
    }
    expect(engine.check({ ...request, speed: 2 })).toBe('speech');
    expect(engine.check({ ...request, speed: undefined })).toBe('speech');
  });
});
