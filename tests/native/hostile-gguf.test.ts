/** Files that no exporter writes: rejected with one line, or read correctly. */
import { execFile } from 'node:child_process';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Prefix } from '../../src/engine/backend.ts';
import { type NativeBackend, openNativeBackend } from '../../src/engine/backends/native/native.ts';
import { seededNoise } from '../../src/engine/noise.ts';
import { array, type Parts, parse, serialize, string, text, u32, u64, uint32 } from '../fuzz/gguf-parts.ts';
import { useBackend } from '../fuzz/use-backend.ts';
import { rounds } from '../support/rounds.ts';
import { svcProgram } from '../support/svc-program.ts';
import { sharedFolder } from '../support/test-folder.ts';

const original = join(process.cwd(), 'tests', 'fixtures', 'peer-tiny-v2.gguf');
let parts: Parts;
const folder = sharedFolder();
beforeAll(async () => {
  parts = parse(await readFile(original));
});

const path = (): string => join(folder, 'model.gguf');

async function open(changed: Partial<Parts>, kernels = ''): Promise<NativeBackend> {
  const all = { ...parts, ...changed };
  const counts = { valueCount: BigInt(all.values.length), tensorCount: BigInt(all.tensors.length) };
  await writeFile(path(), serialize({ ...all, ...counts }));
  return openNativeBackend(path(), { backend: 'cpu', threads: 1, kernels });
}

/** The metadata with one value replaced or added. */
const withValue = (key: string, type: number, bytes: Buffer): Partial<Parts> => ({
  values: [...parts.values.filter((value) => value.key !== key), { key, type, bytes }],
});
const withNumber = (key: string, value: number): Partial<Parts> => withValue(key, uint32, u32(value));

const refusal = (pattern: RegExp) => ({ code: 'MODEL_INVALID', message: expect.stringMatching(pattern) });

const prefix: Prefix = { tokens: Int32Array.of(1, 2, 3), audioMask: new Uint8Array(3), features: new Float32Array(0) };

async function firstPatch(backend: NativeBackend): Promise<Float32Array> {
  const session = await backend.open({ ...prefix, cfg: 2, timesteps: 3 });
  const noise = seededNoise(1).next(backend.info.patchSize * backend.info.featureDim);
  const [step] = await backend.step([{ session, noise }]);
  await session.close();
  if (step === undefined) throw new Error('there is no step');
  return step.patch;
}

/** The same tensors with a different alignment. */
function aligned(alignment: number): Partial<Parts> {
  const data: Buffer[] = [];
  let offset = 0;
  const tensors = parts.tensors.map((tensor, index) => {
    const start = Number(tensor.offset);
    const end = Number(parts.tensors[index + 1]?.offset ?? parts.data.length);
    // Without the padding to 32 bytes; values have four bytes.
    const bytes = Number(tensor.dimensions.reduce((product, length) => product * length, 4n));
    const kept = Math.min(Math.ceil(bytes / alignment) * alignment, end - start);
    data.push(parts.data.subarray(start, start + kept));
    const moved = { ...tensor, offset: BigInt(offset) };
    offset += kept;
    return moved;
  });
  const { values } = withNumber('general.alignment', alignment) as Parts;
  for (let length = 0; ; length += 8) {
    const filler = { key: 'filler', type: text, bytes: string('x'.repeat(length)) };
    const made = { ...parts, values: [...values, filler], tensors, alignment, data: Buffer.concat(data) };
    // Not accidentally at a multiple of 32 bytes, which ggml requires in memory.
    if ((serialize(made).length - made.data.length) % 32 === alignment) return made;
  }
}

describe('alignment', () => {
  it.each([8, 16])(
    'reads tensors that are aligned to %i bytes, on our kernels and on those of ggml',
    async (alignment) => {
      for (const kernels of ['', 'ggml']) {
        await using usual = await open({}, kernels);
        const expected = await firstPatch(usual);
        await using backend = await open(aligned(alignment), kernels);
        expect(await firstPatch(backend)).toEqual(expected);
      }
    },
  );

  it.each([0, 1, 4, 24, 2 ** 31])('refuses an alignment of %i', async (alignment) => {
    await expect(open(withNumber('general.alignment', alignment))).rejects.toMatchObject(
      refusal(/^[^\n]+model.gguf: general.alignment must be a power of two from 8 to 65536, got \d+$/),
    );
  });

  it('refuses an alignment of another type', async () => {
    await expect(open(withValue('general.alignment', 10, u64(32n)))).rejects.toMatchObject(
      refusal(/model.gguf: general.alignment must be a uint32, got type 10$/),
    );
  });
});

describe('tensors', () => {
  it('refuses a file without any, and one with 50,000', async () => {
    await expect(open({ tensors: [] })).rejects.toMatchObject(
      refusal(/model.gguf: the file must have 1 to 4096 tensors, got 0$/),
    );
    const [first] = parts.tensors;
    if (first === undefined) throw new Error('the fixture has no tensor');
    const tensors = Array.from({ length: 50_000 }, (_, index) => ({ ...first, name: `tensor.${index}` }));
    await expect(open({ tensors })).rejects.toMatchObject(refusal(/must have 1 to 4096 tensors, got 50000$/));
  });

  it.each(['', 'portable', 'ggml'])('refuses non-finite values (kernels "%s")', async (kernels) => {
    for (const [name, broken] of [
      ['blk.0.attn_norm.weight', Number.NaN],
      ['blk.0.attn_q.weight', Number.POSITIVE_INFINITY],
      ['token_embd.weight', Number.NaN],
      ['locdit.in_proj.bias', Number.NEGATIVE_INFINITY],
    ] as const) {
      const data = Buffer.from(parts.data);
      data.writeFloatLE(broken, Number(parts.tensors.find((tensor) => tensor.name === name)?.offset) + 8);
      await expect(open({ data }, kernels)).rejects.toMatchObject(
        refusal(new RegExp(`^[^\\n]+model.gguf: tensor "${name}" contains infinity or NaN$`)),
      );
    }
  });

  it.each(['', 'ggml'])('refuses output that overflows from finite values (kernels "%s")', async (kernels) => {
    const data = Buffer.from(parts.data);
    const offset = Number(parts.tensors.find(({ name }) => name === 'locdit.in_proj.weight')?.offset);
    for (let index = 0; index < 64; index += 1) data.writeFloatLE(3e38, offset + 4 * index);
    await using backend = await open({ data }, kernels);
    await expect(useBackend(backend, { timesteps: 3 })).rejects.toMatchObject(
      refusal(/^[^\n]+: the weights are broken: the model computed infinity or NaN$/),
    );
  });
});

describe('configuration', () => {
  it.each([
    ['voxcpm_patch_size', 65_536, 'from 1 to 64'],
    ['voxcpm_patch_size', 1_048_576, 'from 1 to 64'],
    ['voxcpm_lm_config_kv_channels', 1_000_000_000, 'must have at most 1024 values'],
    ['voxcpm_lm_config_kv_channels', 1_000_000, 'must have at most 1024 values'],
    ['voxcpm_lm_config_num_hidden_layers', 1_000_000, 'from 1 to 512'],
    ['voxcpm_lm_config_hidden_size', 16_777_216, 'from 1 to 131072'],
    ['voxcpm_lm_config_vocab_size', 1_000_000_000, 'from 1 to 4194304'],
    ['voxcpm_max_length', 1_000_000_000, 'from 1 to 1048576'],
    ['voxcpm_audio_vae_config_sample_rate', 2_000_000, 'from 1 to 1000000'],
  ])('refuses %s of %i', async (key, value, expected) => {
    await expect(open(withNumber(key, value))).rejects.toMatchObject(
      refusal(new RegExp(`^[^\\n]+model.gguf: [^\\n]*${expected}, got \\d+$`)),
    );
  });

  it.each([
    ['32 of 1', Array(32).fill(1), 'must have at most 12 strides'],
    ['13 of 1', Array(13).fill(1), 'must have at most 12 strides'],
    ['of half a frame', [1.5], 'must be integers from 1 to 64'],
    ['of 65', [65], 'must be integers from 1 to 64'],
    ['with a product of 2^18', [64, 64, 64], 'must have a product of at most 16384'],
  ])('refuses decoder strides: %s', async (_, rates: readonly number[], expected) => {
    const floats = rates.map((rate) => {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(rate);
      return bytes;
    });
    const bytes = Buffer.concat([u32(6), u64(BigInt(rates.length)), ...floats]);
    await expect(open(withValue('voxcpm_audio_vae_config_decoder_rates', array, bytes))).rejects.toMatchObject(
      refusal(new RegExp(`: voxcpm_audio_vae_config_decoder_rates ${expected}, got [\\d.]+$`)),
    );
  });

  it('accepts the architecture in any letter case', async () => {
    await using backend = await open(withValue('voxcpm_architecture', text, string('VoxCPM2')));
    expect(backend.info.architecture).toBe('voxcpm2');
  });
});

describe('a file that changes during use', () => {
  it.each(['', 'ggml'])('is refused by the next session (kernels "%s")', async (kernels) => {
    await using backend = await open({}, kernels);
    await firstPatch(backend);
    await truncate(path(), 100_000);
    const changed = refusal(/^[^\n]+: the file changed while it was in use; load the model again$/);
    await expect(backend.open({ ...prefix, cfg: 2, timesteps: 3 })).rejects.toMatchObject(changed);
    await expect(backend.encode(new Float32Array(1000))).rejects.toMatchObject(changed);
  });

  it.each(['', 'ggml'])('is refused while it is loaded, and ends no process (kernels "%s")', async (kernels) => {
    const count = rounds(20, 1_000);
    const program = ['tests/native/overwrite-model.mjs', original, path(), kernels, String(count)];
    const { stdout } = await promisify(execFile)(process.execPath, program);
    const { used, refused } = JSON.parse(stdout) as Record<'used' | 'refused', number>;
    expect(used + refused).toBe(count);
    expect(refused).toBeGreaterThan(0);
  });

  it('is used further after another file replaced it', async () => {
    await using backend = await open({});
    const expected = await firstPatch(backend);
    await rm(path());
    await writeFile(path(), 'another file');
    expect(await firstPatch(backend)).toEqual(expected);
  });
});

it('reports too little address space with its exit code', async () => {
  await writeFile(path(), await readFile(original));
  // Sparse bytes after the tensors, which take no disk space.
  await truncate(path(), 200 * 1024 ** 3);
  const command = `ulimit -v ${100 * 1024 ** 2}; exec "$0" ${svcProgram} tts --text Hello --model-path "$1" --output "$2"`;
  const run = promisify(execFile)('bash', ['-c', command, process.execPath, path(), join(folder, 'out.wav')]);
  await expect(run).rejects.toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/not enough memory or address space to map [^\n]+ \(214748364800 bytes\)\n$/),
  });
});
