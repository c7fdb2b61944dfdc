/** The first texts of a process, whose languages are not loaded yet. */
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { invoke } from '../cli/invoke.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { createFakeBackend } from './fake-backend.ts';

const folder = sharedFolder();

it('is spoken by the library', async () => {
  const engine = createEngineFromBackend(createFakeBackend({ stopAt: 4 }), { maxBatch: 1 });
  const text = 'Tom & Jerry went home today, and it was good.';
  expect(engine.check({ text })).toBe('speech');
  expect((await engine.synthesize({ text, seed: 7 })).samples.length).toBeGreaterThan(0);
});

it('sets the voice of a long text', async () => {
  const info = { patchSamples: 1_600, contextLength: 100_000 };
  const text = 'Tom & Jerry gingen heute nach Hause, und es war gut. '.repeat(9);
  const settings = ['-o', join(folder, 'out.wav'), '--seed', '7', '--quiet'];
  const { code, stderr } = await invoke(['tts', '--text', text, ...settings], {
    backend: { stopAt: 4, firstLevel: 0.1, info },
  });
  expect([code, stderr]).toEqual([0, '']);
});
