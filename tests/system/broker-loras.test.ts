import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startFront, startWorker } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import type { SvcProcess } from '../../bench/svc-process.ts';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { post } from '../server/start-server.ts';
import { expectError } from '../server/test-server.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { sharedProcesses } from './shared-processes.ts';

/** Needs redis-server. */
const fixtures = join(process.cwd(), 'tests', 'fixtures');
const modelPath = join(fixtures, 'peer-tiny-v2.gguf');
const adapterOf = (name: string): string => join(fixtures, 'lora', name, 'lora');
const anna = ['--lora', `anna=${adapterOf('tiny-v2-all')}:0.5`];

const addWorker = (...settings: readonly string[]): Promise<SvcProcess> =>
  startWorker(redis.url, '--model-path', modelPath, ...settings);

const share = sharedProcesses();
const folder = sharedFolder();
const redis = share(startRedis);
share(() => addWorker(...anna));
const front = share(() => startFront(redis.url, folder));

const usual = { input: 'Hello there.', seed: 3, max_length: 6, retry_badcase: false, response_format: 'wav' };
const speak = (fields: object): Promise<Response> => post(`${front.url}/v1/audio/speech`, { ...usual, ...fields });

describe('LoRA adapters behind a broker', () => {
  it('are those of the workers', async () => {
    const listed = await (await fetch(`${front.url}/v1/loras`)).json();
    expect(listed).toMatchObject({ data: [{ id: 'anna', weight: 0.5, rank: 4, alpha: 8 }] });
    const refused = await post(`${front.url}/v1/loras`, { name: 'ben', path: 'ben' });
    expect(refused.status).toBe(403);
    const message = 'LoRA adapters belong to the workers; start them with svc worker --lora';
    await expectError(fetch(`${front.url}/v1/loras/anna`, { method: 'DELETE' }), 409, message);
  });

  it('change the speech as in one process', async () => {
    await using engine = await createEngine({ modelPath, backend: 'cpu', threads: 1 });
    await engine.loras?.add('anna', { path: adapterOf('tiny-v2-all'), weight: 0.5 });
    const answer = await speak({ lora: 'anna', lora_weight: 1 });
    expect(answer.status).toBe(200);
    const { samples } = decodeWav(new Uint8Array(await answer.arrayBuffer()));
    const request = { text: 'Hello there.', seed: 3, maxLength: 6, retryBadcase: false, lora: 'anna', loraWeight: 1 };
    const expected = await engine.synthesize({ ...request, timesteps: 10 });
    expect(samples).toHaveLength(expected.samples.length);
    const worst = Math.max(...samples.map((value, index) => Math.abs(value - (expected.samples[index] ?? 0))));
    expect(worst).toBeLessThan(1e-3);
  });

  it('that no worker has are refused by name', async () => {
    const message = 'unknown LoRA adapter "eve" (available: anna)';
    await expectError(speak({ lora: 'eve' }), 400, { param: 'lora', message });
  });

  it('must be the same on all workers', async () => {
    await expect(addWorker()).rejects.toThrow(/serves .*LoRA anna\) on .*, not .* \(f32\); choose another --queue/);
    const other = ['--lora', `anna=${adapterOf('tiny-v2-all')}`];
    await expect(addWorker(...other)).rejects.toThrow('choose another --queue');
  });
});
