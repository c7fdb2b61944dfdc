import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { openMerged } from '../../export/merge-adapter.ts';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../export/onnx/precision.ts';
import { inspectCommand } from '../../src/cli/commands/inspect.ts';
import type { Io } from '../../src/cli/io.ts';
import { toSvcError } from '../../src/errors.ts';
import { expectErrorWith } from '../support/errors.ts';
import { readAll } from '../support/read-all.ts';
import { rounds } from '../support/rounds.ts';
import { sharedFolder } from '../support/test-folder.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const gguf = join(fixtures, 'peer-tiny-v2.gguf');
const safetensors = join(fixtures, 'tiny-v2', 'checkpoint', 'model.safetensors');
const onnx = join(fixtures, 'voxcpm-onnx', 'voxcpm_prefill.onnx');

async function inspect(...argv: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const io = { stdout, stderr: new PassThrough(), environment: {}, signal: new AbortController().signal };
  await inspectCommand(io as unknown as Io).parseAsync([...argv], { from: 'user' });
  return String(readAll(stdout));
}

/** A seeded generator, so that failures are reproducible. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

describe('svc inspect', () => {
  const folder = sharedFolder();

  it('shows a GGUF file', async () => {
    const text = await inspect(gguf);
    expect(text).toMatch(/^format: gguf\nmetadata:\n {2}version: 3\n/);
    expect(text).toContain('  voxcpm_architecture: voxcpm2\n');
    expect(text).toMatch(/ {2}tokenizer\.ggml\.tokens: \d+ values: /);
    expect(text).toMatch(/\n\d+ tensors:\n/);
    const { tensors } = JSON.parse(await inspect(gguf, '--json'));
    expect(tensors).toContainEqual({ name: 'blk.0.attn_norm.weight', type: 'f32', shape: [80], offset: 351_680 });
  });

  it.each(['tiny-v2-all/lora', 'tiny-v1-lm/lora/lora_weights.ckpt'])('shows the LoRA adapter %s', async (name) => {
    const text = await inspect(join(fixtures, 'lora', name));
    expect(text).toMatch(/^format: lora\nmetadata:\n {2}file: .*\n {2}rank: [48]\n {2}alpha: (8|16)\n {2}scale: 2\n/);
    expect(text).toContain('  base_lm.layers.0.self_attn.q_proj.lora_A  f32 [');
    const { metadata, tensors } = JSON.parse(await inspect(join(fixtures, 'lora', name), '--json'));
    expect(metadata.bytes).toBe(4 * metadata.parameters);
    expect(tensors.length % 2).toBe(0);
  });

  it('shows a safetensors file', async () => {
    const { format, tensors } = JSON.parse(await inspect(safetensors, '--json'));
    expect(format).toBe('safetensors');
    expect(tensors).toContainEqual({ name: 'base_lm.norm.weight', type: 'bf16', shape: [80] });
    expect(await inspect(safetensors)).toContain('  base_lm.norm.weight  bf16 [80]\n');
  });

  it('shows an ONNX file', async () => {
    const { format, inputs, operators } = JSON.parse(await inspect(onnx, '--json'));
    expect(format).toBe('onnx');
    expect(inputs).toContainEqual({ name: 'feat', type: 'float', shape: ['batch_size', 'seq_length', 2, 16] });
    expect(operators.MatMul).toBeGreaterThan(10);
    expect(await inspect(onnx)).toContain('  feat  float [batch_size, seq_length, 2, 16]\n');
  });

  it('shows producer, operator sets and loop bodies of an exported ONNX file', async () => {
    const checkpoint = join(fixtures, 'tiny-v2', 'checkpoint');
    const output = join(folder, 'onnx');
    await exportOnnx({ checkpoint, output, types: modelPrecisions.f32, steps: ['build'] });
    const text = await inspect(join(output, 'flow.onnx'));
    expect(text).toMatch(/^format: onnx\nmetadata:\n {2}producer: svc \d/);
    expect(text).toContain('  irVersion: 10\n  operatorSets: {"ai.onnx":21,"com.microsoft":1}\n  description: Flow');
    expect(text).toContain('  model: checkpoint\n  architecture: voxcpm2\n  layout: default\n');
    expect(text).toContain('  noise  float [batch, ');
    expect(text).toMatch(/ {2}com\.microsoft\.QuickGelu: \d/);
  });

  it('shows the folder of an exported ONNX model, with its adapters', async () => {
    const adapter = join(fixtures, 'lora', 'tiny-v1-all', 'lora');
    const checkpoint = await openMerged(join(fixtures, 'tiny-v1', 'checkpoint'), [{ path: adapter, name: 'anna' }]);
    const output = join(folder, 'merged');
    await exportOnnx({ checkpoint, output, types: modelPrecisions.f32, steps: ['build'] });
    const text = await inspect(output);
    expect(text).toMatch(/^format: onnx\nmetadata:\n {2}format: svc-onnx\n/);
    expect(text).toMatch(/\n {2}lora: anna \(rank 4, alpha 8, weight 1\)\n$/);
  });

  it('says which files of a checkpoint to name', async () => {
    await expect(inspect(join(fixtures, 'tiny-v2', 'checkpoint'))).rejects.toThrow(
      /is a folder; name one of its files: .*\.safetensors/,
    );
  });

  it('notes that an adapter without configuration needs an alpha', async () => {
    const bare = join(folder, 'bare');
    const file = 'lora_weights.safetensors';
    await cp(join(fixtures, 'lora', 'tiny-v1-all', 'lora', file), join(bare, file));
    expect(await inspect(bare)).toContain('note: no lora_config.json states its alpha; give it with --lora-alpha');
  });

  it('refuses a missing file, a folder and other formats', async () => {
    await expect(inspect(join(folder, 'none'))).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await expect(inspect(folder)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const text = join(folder, 'text.txt');
    await writeFile(text, 'Nothing of that kind, only some words.');
    await expect(inspect(text)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  it.each([
    ['package.json', 'MODEL_INVALID', '"package.json" is not a GGUF, safetensors or ONNX file'],
    [join('tests', 'fixtures'), 'INVALID_REQUEST', '"tests/fixtures" is a folder'],
    ['/dev/zero', 'INVALID_REQUEST', '"/dev/zero" is a device or pipe'],
    ['none.onnx', 'MODEL_NOT_FOUND', 'no such file: "none.onnx"'],
  ])('refuses %s', async (path, code, message) => {
    await expectErrorWith(inspect(path), code, message);
  });

  it('prints no control characters', async () => {
    const path = join(folder, 'escape.safetensors');
    const header = JSON.stringify({ 'a\u001b[31mb': { dtype: 'F32', shape: [0], data_offsets: [0, 0] } });
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    await writeFile(path, Buffer.concat([length, Buffer.from(header)]));
    expect(await inspect(path)).not.toContain('\u001b');
  });

  it.each([
    ['gguf', gguf, 20_000],
    ['onnx', onnx, 60_000],
  ])('reads mutated %s files or refuses them with a coded one-line error', async (name, original, start) => {
    const bytes = await readFile(original);
    const random = generator(20261102);
    const path = join(folder, `mutated.${name}`);
    const head = Math.min(start, bytes.length);
    let refused = 0;
    for (let round = 0; round < rounds(25, 300); round += 1) {
      const mutated = Buffer.from(bytes.subarray(0, random(4) === 0 ? random(head) : bytes.length));
      for (let count = 1 + random(4); count > 0 && mutated.length > 0; count -= 1) {
        mutated[random(Math.min(head, mutated.length))] = random(256);
      }
      await writeFile(path, mutated);
      const error = await inspect(path).then(
        () => undefined,
        (thrown: unknown) => toSvcError(thrown),
      );
      if (error === undefined) continue;
      refused += 1;
      expect({ round, code: error.code, message: error.message }).toMatchObject({ code: 'MODEL_INVALID' });
      expect(error.message).not.toContain('\n');
    }
    expect(refused).toBeGreaterThan(rounds(4, 10));
  });
});
