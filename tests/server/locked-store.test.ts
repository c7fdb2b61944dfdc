import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { createGate } from '../support/gate.ts';
import { lockStore } from '../voices/lock-store.ts';
import { startServer } from './start-server.ts';

it('answers other requests while another process has locked the voice store', async () => {
  await using server = await startServer({ limits: { shortestRecordingSeconds: 0 } });
  const lock = await lockStore(join(server.folder, 'voices.sqlite'));
  const form = new FormData();
  form.set('feat_id', 'anna');
  form.set('prompt_text', 'What Anna says.');
  form.set('prompt_audio', new Blob([new Uint8Array(encodeWav(new Float32Array(160).fill(0.1), 16_000))]), 'anna.wav');
  const begun = createGate();
  const { put } = server.store;
  Object.assign(server.store, {
    put(...given: Parameters<typeof put>) {
      begun.open();
      return put(...given);
    },
  });
  let stored = false;
  const storing = fetch(`${server.url}/ref_feat`, { method: 'POST', body: form }).then((answer) => {
    stored = true;
    return answer;
  });
  await begun.passed;
  for (let count = 0; count < 20; count += 1) expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(stored).toBe(false);
  // Reading voices still works.
  expect((await fetch(`${server.url}/v1/voices`)).status).toBe(200);
  await lock.release();
  expect((await storing).status).toBe(200);
  expect((await server.store.get('anna'))?.text).toBe('What Anna says.');
});
