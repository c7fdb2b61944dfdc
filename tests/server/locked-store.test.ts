import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/wav-encode.ts';
import { lockStore } from '../voices/lock-store.ts';
import { startServer } from './start-server.ts';

it('answers other requests while another process has locked the voice store', async () => {
  await using server = await startServer({ limits: { shortestRecordingSeconds: 0 } });
  const lock = await lockStore(join(server.folder, 'voices.sqlite'));
  const form = new FormData();
  form.set('feat_id', 'anna');
  form.set('prompt_text', 'What Anna says.');
  form.set('prompt_audio', new Blob([new Uint8Array(encodeWav(new Float32Array(160).fill(0.1), 16_000))]), 'anna.wav');
  let stored = false;
  const storing = fetch(`${server.url}/ref_feat`, { method: 'POST', body: form }).then((answer) => {
    stored = true;
    return answer;
  });
  const times: number[] = [];
  const end = performance.now() + 1_500;
  while (performance.now() < end) {
    const before = performance.now();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    times.push(performance.now() - before);
  }
  expect(stored).toBe(false);
  // Reading voices still works.
  expect((await fetch(`${server.url}/v1/voices`)).status).toBe(200);
  await lock.release();
  expect((await storing).status).toBe(200);
  expect((await server.store.get('anna'))?.text).toBe('What Anna says.');
  // Other tests may use all processors, so the fastest of the second half tells what a request takes, and the slowest
  // only that none waited until SQLite gave up, which takes ten seconds.
  expect(Math.min(...times.slice(times.length / 2))).toBeLessThan(100);
  expect(Math.max(...times)).toBeLessThan(5_000);
});
