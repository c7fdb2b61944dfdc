import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type PeerRun, parsePeerOutput, runPeer } from '../../src/bench/peer.ts';
import { sharedFolder } from '../support/test-folder.ts';

const recorded = 'tests/bench/fixtures/voxcpm-tts.txt';

const folder = sharedFolder();

async function program(name: string, source: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!${process.execPath}\n${source}\n`);
  await chmod(path, 0o755);
  return path;
}

const order = (path: string, signal = new AbortController().signal): PeerRun => ({
  program: path,
  modelPath: 'model.gguf',
  text: 'Hello.',
  patches: 4,
  threads: 2,
  timesteps: 10,
  cfg: 2,
  output: 'speech.wav',
  prompt: { audio: 'prompt.wav', text: 'Said.' },
  environment: process.env,
  signal,
});

describe('parsePeerOutput', () => {
  it('parses the output of VoxCPM.cpp', async () => {
    const figures = parsePeerOutput(await readFile(recorded, 'utf8'), 'voxcpm_tts');
    expect(figures).toMatchObject({
      patches: 4,
      audioSeconds: 0.32,
      encodeSeconds: 1.742,
      modelSeconds: 1.483,
      vaeSeconds: 0.481,
      rtfModel: 4.633,
      rtfWithoutEncode: 6.136,
      rtfFull: 11.58,
    });
    expect(figures.msPerStep).toBeCloseTo((123.647 + 119.902) / 2, 6);
    expect(figures.stages.front).toBeCloseTo((96.7814 + 96.0018) / 2, 6);
    expect(figures.prefillMs).toBeCloseTo(1483 - 151.737 - 123.647 - 114.693 - 119.902, 6);
    expect((figures.encodeSeconds + figures.modelSeconds + figures.vaeSeconds) / figures.audioSeconds) //
      .toBeCloseTo(figures.rtfFull, 1);
  });

  it('names a missing figure', async () => {
    const text = (await readFile(recorded, 'utf8')).replace(/AudioVAE decode:/, 'AudioVAE:');
    expect(() => parsePeerOutput(text, 'voxcpm_tts')).toThrow(/did not print the seconds of decoding/);
  });
});

describe('runPeer', () => {
  it('requests as many patches as ours and measures the process', async () => {
    const path = await program(
      'speaks',
      `const { VOXCPM_BENCHMARK_DECODE_STEPS, VOXCPM_BENCHMARK_IGNORE_STOP, OMP_NUM_THREADS } = process.env;
       require('fs').writeFileSync(${JSON.stringify(join(folder, 'asked'))}, JSON.stringify({
         argv: process.argv.slice(2), VOXCPM_BENCHMARK_DECODE_STEPS, VOXCPM_BENCHMARK_IGNORE_STOP, OMP_NUM_THREADS,
         seconds: process.uptime() }));
       // Lives through many of the looks at its memory.
       setTimeout(() => process.stdout.write(require('fs').readFileSync(${JSON.stringify(join(process.cwd(), recorded))})), 500);`,
    );
    const figures = await runPeer(order(path));
    expect(figures.patches).toBe(4);
    if (process.platform === 'linux') expect(figures.peakRssMb).toBeGreaterThan(10);
    const asked = JSON.parse(await readFile(join(folder, 'asked'), 'utf8'));
    expect(figures.wallSeconds).toBeGreaterThan(asked.seconds);
    expect(asked).toMatchObject({
      VOXCPM_BENCHMARK_DECODE_STEPS: '4',
      VOXCPM_BENCHMARK_IGNORE_STOP: '1',
      OMP_NUM_THREADS: '2',
    });
    expect(asked.argv.join(' ')).toBe(
      '--model-path model.gguf --text Hello. --output speech.wav --backend cpu --threads 2 ' +
        '--inference-timesteps 10 --cfg-value 2 --prompt-audio prompt.wav --prompt-text Said.',
    );
  });

  it('reports the last line of its output when it fails', async () => {
    const path = await program(
      'fails',
      "console.error('Using backend: cpu\\nError: Failed to load GGUF'); process.exitCode = 1;",
    );
    await expect(runPeer(order(path))).rejects.toMatchObject({
      code: 'IO',
      message: `${path} ended with 1: Error: Failed to load GGUF (--compare)`,
    });
  });

  it('refuses a program that prints no timings', async () => {
    const path = await program('chats', "console.log('hello')");
    await expect(runPeer(order(path))).rejects.toMatchObject({ code: 'IO' });
  });

  it('refuses a missing program', async () => {
    await expect(runPeer(order(join(folder, 'nothing')))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('kills the program when canceled', async () => {
    const controller = new AbortController();
    const marker = join(folder, 'runs');
    const path = await program(
      'hangs',
      `require('fs').writeFileSync(${JSON.stringify(marker)}, ''); setInterval(() => {}, 1000);`,
    );
    const running = runPeer(order(path, controller.signal));
    const started = (async () => {
      while ((await readFile(marker).catch(() => undefined)) === undefined) await new Promise(setImmediate);
      controller.abort();
    })();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    await started;
  });
});
