import { open } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { memoryBandwidth } from '../../src/bench/bandwidth.ts';
import { bytesPerStep, operationsPerPosition } from '../../src/bench/roofline.ts';
import { readGgufHeader } from '../../src/formats/gguf.ts';
import { elementCount } from '../../src/formats/safetensors.ts';

const path = 'tests/fixtures/peer-tiny-v2.gguf';

describe('bytesPerStep', () => {
  it('counts flow matching once per evaluation, other weights once, and no token table, stop head or VAE', async () => {
    await using handle = await open(path, 'r');
    const { tensors } = await readGgufHeader(handle, path);
    const bytes = (pattern: RegExp): number =>
      tensors.filter(({ name }) => pattern.test(name)).reduce((total, { shape }) => total + 4 * elementCount(shape), 0);
    const none = await bytesPerStep(path, 0);
    expect((await bytesPerStep(path, 9)) - none).toBe(9 * bytes(/^locdit\.(?!time_mlp|delta_time_mlp)/));
    expect(none).toBe(bytes(/./) - bytes(/^(audio_vae|locdit|token_embd|stop)\./));
  });
});

describe('operationsPerPosition', () => {
  it('counts the matrices of both language models', async () => {
    await using handle = await open(path, 'r');
    const { tensors } = await readGgufHeader(handle, path);
    const matrix = /^(residual_lm\.)?blk\.\d+\.(attn_q|attn_k|attn_v|attn_output|ffn_gate|ffn_up|ffn_down)\.weight$/;
    const values = tensors.filter(({ name }) => matrix.test(name)).map(({ shape }) => elementCount(shape));
    expect(values).not.toHaveLength(0);
    expect(await operationsPerPosition(path)).toBe(2 * values.reduce((sum, count) => sum + count, 0));
  });
});

describe('memoryBandwidth', () => {
  it('is plausible for RAM', async () => {
    const bytes = await memoryBandwidth(1, new AbortController().signal);
    expect(bytes).toBeGreaterThan(1e8);
    expect(bytes).toBeLessThan(1e12);
  });

  it('stops when canceled', async () => {
    await expect(memoryBandwidth(1, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
