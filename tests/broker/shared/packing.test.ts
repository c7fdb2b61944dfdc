import { expect, it } from '@jest/globals';
import { pack, unpack } from '../../../src/broker/shared/packing.ts';

it('pack and unpack preserve every bit of a request', () => {
  const samples = Float32Array.from({ length: 99 }, (_, index) => Math.fround(Math.sin(index) * 10 ** (index - 40)));
  const request = {
    text: 'He said "$floats": [0, 1].',
    seed: 4_294_967_295,
    split: false,
    promptAudio: { role: 'prompt', patches: samples.subarray(3, 50) },
    referenceAudio: { samples, sampleRate: 16_000, channels: 1 },
  };
  expect(unpack(pack(request))).toEqual({ ...request, promptAudio: { role: 'prompt', patches: samples.slice(3, 50) } });
});

it('pack and unpack produce no bytes without arrays', () => {
  const packed = pack({ text: 'Hello.' });
  expect(packed.floats).toHaveLength(0);
  expect(packed.json).toBe('{"text":"Hello."}');
});

it('pack and unpack accept bytes at any offset of a larger buffer', () => {
  const { json, floats } = pack({ patches: Float32Array.of(1, 2, 3) });
  const inside = Buffer.concat([Buffer.alloc(3), floats, Buffer.alloc(5)]).subarray(3, 3 + floats.length);
  expect(unpack({ json, floats: inside })).toEqual({ patches: Float32Array.of(1, 2, 3) });
});
