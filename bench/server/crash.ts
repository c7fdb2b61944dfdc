/** Kills the server while clients add voices: those answered with 201 must be stored, and none only in part. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { startSvcServe } from '../svc-process.ts';
import { inFolder } from './server-process.ts';
import { wave } from './soak.ts';

const clients = 3;

export async function crash(kills: number, options: readonly string[]): Promise<void> {
  await inFolder(async (folder) => {
    const confirmed: string[] = [];
    const tried: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const server = await startSvcServe([...options, '--voice-dir', folder]);
      let stopped = false;
      const register = async (client: number): Promise<void> => {
        for (let number = 0; !stopped; number += 1) {
          const id = `k${kill}-${client}-${number}`;
          tried.push(id);
          const form = new FormData();
          form.set('id', id);
          form.set('text', `what ${id} says`);
          form.set('audio', new Blob([wave()]), 'a.wav');
          const response = await fetch(`${server.url}/v1/voices`, { method: 'POST', body: form }).catch(
            () => undefined,
          );
          if (response?.status === 201) confirmed.push(id);
          if (response === undefined) return;
        }
      };
      const working = Array.from({ length: clients }, (_, client) => register(client));
      // Wait for a confirmed registration, then kill in the middle of others.
      const before = confirmed.length;
      while (confirmed.length === before) await wait(5);
      await wait((kill * 37) % 200);
      await server.stop('SIGKILL');
      stopped = true;
      await Promise.all(working);
    }
    await using store = await openSqliteVoiceStore(join(folder, 'voices.sqlite'));
    const stored = (await store.list()).map(({ id }) => id);
    const lost = confirmed.filter((id) => !stored.includes(id));
    const strange = stored.filter((id) => !tried.includes(id));
    const half: string[] = [];
    for (const id of stored) {
      const voice = await store.get(id);
      const recording = voice && (await store.recording(id, voice.revision));
      const isWhole =
        voice?.text === `what ${id} says` && voice.encodings.length === 1 && recording?.samples.length === 8_000;
      if (!isWhole) half.push(id);
    }
    console.log(
      `${kills} kills: ${confirmed.length} voices answered with 201, ${stored.length} stored, ${tried.length} tried`,
    );
    console.log(`lost: ${lost.length}, incomplete: ${half.length}, unknown: ${strange.length}`);
    if (lost.length + half.length + strange.length > 0) process.exitCode = 1;
  });
}
