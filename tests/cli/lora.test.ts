import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { createAdapterCatalog } from '../../src/engine/lora/adapter-catalog.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { createFakeHub, type FakeHub, readFolder } from '../hub/fake-hub.ts';
import { startServer } from '../server/start-server.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { type Circumstances, invoke, manifestIn } from './invoke.ts';

const fixtures = join(process.cwd(), 'tests', 'fixtures');
const checkpoint = join(fixtures, 'tiny-v2', 'checkpoint');
const adapterOf = (name: string): string => join(fixtures, 'lora', name, 'lora');
const [all, dit] = [adapterOf('tiny-v2-all'), adapterOf('tiny-v2-dit')];

let hub: FakeHub;
let model: string;

afterAll(() => hub.close());
const folder = sharedFolder();
beforeAll(async () => {
  const files = await readFolder(all);
  const below = Object.fromEntries(Object.entries(files).map(([name, content]) => [`step_100/${name}`, content]));
  hub = await createFakeHub({
    'a/anna': { files: { ...files, 'README.md': Buffer.from('#') } },
    'a/steps': { files: below },
  });
  model = await exported('base.gguf');
});

/** Runs a command with real models. */
async function svc(...argv: readonly string[]): Promise<string> {
  const circumstances: Circumstances = {
    environment: { SVC_CACHE_DIR: join(folder, 'cache'), HF_ENDPOINT: hub.endpoint },
    openEngine: (options, callbacks) => createEngine({ ...options, backend: 'cpu', threads: 1 }, callbacks),
  };
  const { code, stderr } = await invoke(argv, circumstances);
  return code === 0 ? '' : stderr;
}

async function exported(name: string, ...settings: readonly string[]): Promise<string> {
  const output = join(folder, name);
  const given = ['--format', 'gguf', '--type', 'f32', '--model-path', checkpoint, '--output', output, '--quiet'];
  expect(await svc('export', ...given, ...settings)).toBe('');
  return output;
}

const common = '--seed 3 --max-length 6 --inference-timesteps 2 --sample-format f32 --no-retry-badcase --quiet'.split(
  ' ',
);

async function spoken(path: string, ...settings: readonly string[]): Promise<Float32Array> {
  const output = join(folder, 'speech.wav');
  expect(await svc('tts', 'Hello there.', '--model-path', path, '-o', output, ...common, ...settings)).toBe('');
  return decodeWav(await readFile(output)).samples;
}

const difference = (a: Float32Array, b: Float32Array): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

describe('--lora of svc tts', () => {
  it('changes the speech like the merged model', async () => {
    const base = await spoken(model);
    const adapted = await spoken(model, '--lora', `${all}:0.5`);
    expect(difference(base, adapted)).toBeGreaterThan(0.01);
    expect(difference(await spoken(model, '--lora', `${all}:0`), base)).toBeLessThan(1e-6);
    const merged = await exported('merged.gguf', '--lora', `anna=${all}:0.5`);
    expect(difference(await spoken(merged), adapted)).toBeLessThan(1e-3);
    const weaker = await spoken(model, '--lora', all, '--lora-alpha', '4');
    expect(difference(weaker, adapted)).toBeLessThan(1e-6);
  });

  it('downloads adapters of repositories', async () => {
    const expected = await spoken(model, '--lora', all);
    expect(await spoken(model, '--lora', 'a/anna')).toEqual(expected);
    hub.forget();
    expect(await spoken(model, '--lora', 'a/anna@main:1')).toEqual(expected);
    expect(hub.exchanges).toEqual([]);
    expect(await spoken(model, '--lora', 'a/steps/step_100')).toEqual(expected);
    const tts = (place: string) => svc('tts', 'Hello.', '--lora', place, '-o', join(folder, 'none.wav'));
    expect(await tts('a/steps')).toMatch(/a\/steps has no LoRA adapter .*; available: a\/steps\/step_100\n$/);
    expect(await tts('nowhere')).toMatch(/no such LoRA adapter: "nowhere" \(a path, or a repository of --hub/);
    expect(await tts('checkpoints/latest')).toMatch(
      /no such folder: "checkpoints\/latest"; LoRA adapter checkpoints\/latest: /,
    );
    expect(await tts('modelscope:a/anna/x:abc')).toContain(
      'the weight of --lora must be a number from 0 to 4, got "abc"',
    );
  });

  it.each([
    [['--lora', join(all, 'lora_config.json')], 'is not a LoRA adapter: expected lora_weights.safetensors or'],
    [['--lora', `a b=${all}`], 'name must be 1 to 64 letters'],
    [['--lora', join(fixtures, 'tiny-v2')], 'is not a LoRA adapter: it has no lora_weights.safetensors or'],
    [['--lora', adapterOf('tiny-v1-all')], 'LoRA adapter "lora" does not fit model'],
  ])('refuses %o', async (settings, message) => {
    const output = join(folder, 'refused.wav');
    expect(await svc('tts', 'Hello.', '--model-path', model, '-o', output, ...settings)).toContain(message);
    await expect(readFile(output)).rejects.toThrow();
  });

  it('refuses ONNX models', async () => {
    const settings = ['--model-path', join(fixtures, 'voxcpm-onnx'), '--lora', adapterOf('tiny-v1-all')];
    const message = await svc('tts', 'Hello.', ...settings, '-o', join(folder, 'x.wav'));
    expect(message).toContain('LoRA adapters need a GGUF model; for ONNX, merge the adapter with svc export --lora');
  });
});

describe('--lora of svc export', () => {
  it('warns that a quantized model loses precision twice', async () => {
    const small = join(folder, 'small.gguf');
    const merge = async (from: string, ...settings: readonly string[]) => {
      const argv = ['export', '--format', 'gguf', '--model-path', from, '--output', small, ...settings];
      return (await invoke(argv)).stderr;
    };
    expect(await merge(model, '--type', 'q8_0', '--lora', all)).not.toContain('warning');
    const quantized = join(folder, 'quantized.gguf');
    await cp(small, quantized);
    expect(await merge(quantized, '--lora', all)).toMatch(/warning: .* is already quantized \(q8_0\) .* a second time/);
  });
});

describe('svc batch with adapters', () => {
  const batch = async (input: string, ...settings: readonly string[]) => {
    const output = join(folder, 'batch');
    const given = ['--input', input, '--output-dir', output, '--model-path', model, ...common, ...settings];
    const message = await svc('batch', ...given);
    return { message, entries: manifestIn(output) };
  };

  it('chooses by line, and repeats lines whose adapter has changed', async () => {
    const input = join(folder, 'lines.jsonl');
    const lines = [{}, { lora: 'anna' }, { lora_name: 'ben', lora_weight: 0.5 }, { lora: 'eve' }];
    await writeFile(input, lines.map((line, id) => JSON.stringify({ id, text: 'Hello there.', ...line })).join('\n'));
    const own = join(folder, 'own');
    await cp(dit, own, { recursive: true });
    const loras = ['--lora', `anna=${all}`, '--lora', `ben=${own}`];
    const first = await batch(input, ...loras);
    expect(first.message).toContain('unknown LoRA adapter "eve" (available: anna, ben)');
    const speech = async (id: number) => decodeWav(await readFile(join(folder, 'batch', `${id}.wav`))).samples;
    expect(difference(await speech(0), await spoken(model))).toBeLessThan(1e-6);
    expect(difference(await speech(1), await spoken(model, '--lora', all))).toBeLessThan(1e-6);
    expect(difference(await speech(2), await spoken(model, '--lora', `${dit}:0.5`))).toBeLessThan(1e-6);
    const config = join(own, 'lora_config.json');
    await writeFile(config, (await readFile(config, 'utf8')).replace('"alpha": 6', '"alpha": 3'));
    const second = await batch(input, ...loras);
    const again = second.entries.slice(first.entries.length).map(({ id, status }) => [id, status]);
    expect(again.sort().join(' ')).toBe('2,done 3,failed');
    const checked = await svc('batch', '--check', '--input', input, ...loras);
    expect(checked).toContain('unknown LoRA adapter "eve" (available: anna, ben)');
  });

  it('gives the only adapter to lines that name none', async () => {
    const input = join(folder, 'plain.txt');
    await writeFile(input, 'Hello there.');
    expect((await batch(input, '--lora', all)).message).toBe('');
    const { samples } = decodeWav(await readFile(join(folder, 'batch', 'output_001.wav')));
    expect(difference(samples, await spoken(model, '--lora', all))).toBeLessThan(1e-6);
  });
});

describe('a server with adapters', () => {
  it('speaks with different ones at once, each as alone', async () => {
    const loras = createAdapterCatalog();
    await loras.add('anna', { path: all });
    await loras.add('ben', { path: dit, weight: 0.5 });
    const engine = await createEngine({ modelPath: model, backend: 'cpu', threads: 1, maxBatch: 4 }, { loras });
    await using server = await startServer({ engine, loras });
    const speak = async (fields: object): Promise<Float32Array> => {
      const body = {
        ...{ input: 'Hello there.', seed: 3, response_format: 'wav' },
        ...{ max_length: 6, inference_timesteps: 2, retry_badcase: false },
      };
      const answer = await server.speak({ ...body, ...fields });
      return decodeWav(new Uint8Array(await answer.arrayBuffer())).samples;
    };
    const choices = [{}, { lora: 'anna' }, { lora: 'ben' }, { lora: 'anna', lora_weight: 2 }];
    const alone: Float32Array[] = [];
    for (const choice of choices) alone.push(await speak(choice));
    const together = await Promise.all(choices.map(speak));
    // Samples of 16 bits.
    for (const [index, samples] of together.entries()) {
      expect(difference(samples, alone[index] as Float32Array)).toBeLessThan(1e-3);
    }
    // Speech of another length differs by NaN.
    const [base = new Float32Array(0), ...others] = alone;
    for (const other of others) expect(difference(base, other) < 0.01).toBe(false);
    expect(loras.list().every(({ memoryBytes, bytes }) => memoryBytes === bytes)).toBe(true);
  });
});

describe('svc serve and svc worker', () => {
  it.each([
    ['serve', ['--default-lora', 'a', '--port', '0'], '--default-lora: unknown LoRA adapter "a" (none is loaded)'],
    [
      'serve',
      ['--model-path', 'MODEL', '--lora', `a=${adapterOf('tiny-v1-all')}`],
      'LoRA adapter "a" does not fit model',
    ],
  ])('%s refuses %o', async (command, settings, message) => {
    const argv = settings.map((text) => (text === 'MODEL' ? model : text));
    expect(await svc(command, ...argv)).toContain(message);
  });
});
