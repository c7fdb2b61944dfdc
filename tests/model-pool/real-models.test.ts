/** Real models of both runtimes under a memory limit that holds one of them. */
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { exportGguf } from '../../export/export-gguf.ts';
import { exportOnnx } from '../../export/onnx/export-onnx.ts';
import { modelPrecisions } from '../../export/onnx/precision.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { createModelNames } from '../../src/model-pool/model-names.ts';
import { createModelPool } from '../../src/model-pool/model-pool.ts';
import { speakWith } from '../support/accept.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('serves mixed requests without losing one, with one model loaded at a time', async () => {
  await using folder = await temporaryFolder();
  const checkpoint = join(process.cwd(), 'tests', 'fixtures', 'tiny-v2', 'checkpoint');
  const paths = {
    demo: join(process.cwd(), 'models', 'demo.gguf'),
    tiny: folder.join('tiny.gguf'),
    onnx: folder.join('onnx'),
  };
  await exportGguf({ checkpoint, output: paths.tiny, type: 'f32' });
  await exportOnnx({ checkpoint, output: paths.onnx, types: modelPrecisions.f32 });
  const names = Object.keys(paths);
  const log: string[] = [];
  const pool = await createModelPool({
    models: Object.entries(paths).map(([name, path]) => ({
      name,
      path,
      open: () => createEngine({ modelPath: path, threads: 1, maxBatch: 4 }),
    })),
    names: createModelNames({ names, aliases: new Map(), match: 'exact' }),
    keepAlive: 60_000,
    // The process of the tests grows; what counts here are the estimates.
    residentBytes: () => 0,
    memoryLimit: 120 * 2 ** 20,
    turn: 200,
    logger: pino({ level: 'silent' }),
    onLoad: (name) => log.push(`+${name}`),
    onUnload: (name) => log.push(`-${name}`),
  });
  const rates = new Map<string, Set<number>>();
  const speak = async (number: number): Promise<void> => {
    const name = names[Math.floor(((number * 0.618) % 1) * names.length)] as string;
    const lease = await pool.lease(name, { wait: (work) => work(new AbortController().signal) });
    try {
      const request = { text: 'hello there', maxLength: 4, seed: number };
      for await (const { samples } of speakWith(lease.engine, request, { mayRetract: true }))
        expect(samples.length).toBeGreaterThan(0);
      rates.set(name, (rates.get(name) ?? new Set()).add(lease.engine.info.outputSampleRate));
    } finally {
      lease.release();
    }
  };
  for (let first = 0; first < 24; first += 6) {
    await Promise.all(Array.from({ length: 6 }, (_, index) => speak(first + index)));
  }
  expect([...rates.keys()].sort()).toEqual(['demo', 'onnx', 'tiny']);
  await pool.close();
  expect(log.length).toBeGreaterThanOrEqual(6);
  // Each load but the first comes after the unloading of another.
  expect(log.map((entry) => entry[0]).join('')).toBe('+-'.repeat(log.length / 2));
});
