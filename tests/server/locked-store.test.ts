import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createGate } from '../support/gate.ts';
import { lockStore } from '../voices/lock-store.ts';
import { startServer, wavOf } from './start-server.ts';

it('answers other requests while another process has locked the voice store', async () => {
  await using server = await startServer();
  const lock = await lockStore(join(server.folder, 'voices.sqlite'));
  const voice = { feat_id: 'anna', prompt_text: 'What Anna says.', prompt_audio: wavOf() };
  const begun = createGate();
  const { put } = server.store;
  Object.assign(server.store, {
    put(...given: Parameters<typeof put>) {
      begun.open();
      return put(...given);
    },
  });
  let stored = false;
  const storing = server.send('/ref_feat', voice).then((answer) => {
    stored = true;
    return answer;
  });
  await begun.passed;
  for (let count = 0; count < 20; count += 1) expect((await server.fetch('/healthz')).status).toBe(200);
  expect(stored).toBe(false);
  // Reading voices still works.
  expect((await server.fetch('/v1/voices')).status).toBe(200);
  await lock.release();
  expect((await storing).status).toBe(200);
  expect((await server.store.get('anna'))?.text).toBe('What Anna says.');
});
