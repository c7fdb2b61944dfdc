import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compareSamples, isSame } from '../../bench/broker/comparison.ts';
import { samplesOf, speak, startFront, startWorker } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { referenceAnswers } from '../../bench/broker/reference.ts';
import { textOf } from '../../bench/broker/texts.ts';
import { type ServerProcess, type SvcProcess, startSvc } from '../../bench/svc-process.ts';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { brokerKeys, taskQueues } from '../../src/broker/shared/keys.ts';
import { lockMilliseconds, mostCrashes, mostUnread } from '../../src/broker/shared/task.ts';
import { bytesOf, errorOf, post, statusAndJson } from '../server/start-server.ts';
import { expectError } from '../server/test-server.ts';
import { eventually } from '../support/eventually.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { almaAs } from './alma.ts';
import { sharedProcesses } from './shared-processes.ts';

/** Needs redis-server. */
const keys = brokerKeys('speech');
/** Takes several seconds to generate on any machine. */
const long = textOf(1, 24);

const workers: SvcProcess[] = [];

/** On a slow machine, a request may take longer than the 30 s of the default. */
const patient = ['--drain-seconds', '3600'];

const addWorker = async (...settings: readonly string[]): Promise<SvcProcess> => {
  const worker = await startWorker(redis.url, '--max-batch', '2', ...patient, ...settings);
  workers.push(worker);
  return worker;
};

const stopWorkers = async (): Promise<void> => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')));
};

interface Report {
  readonly name: string;
  readonly active: number;
}

const reports = async (): Promise<readonly Report[]> =>
  (await redis.client.hvals(keys.workerDetails)).map((text) => JSON.parse(text) as Report);

/** The busy worker. */
async function busyWorker(): Promise<SvcProcess> {
  let name = '';
  await eventually(async () => {
    name = (await reports()).find(({ active }) => active > 0)?.name ?? '';
    return workers.some(({ child }) => name.endsWith(`:${child.pid}`));
  }, 'a worker is busy');
  return workers.find(({ child }) => name.endsWith(`:${child.pid}`)) as SvcProcess;
}

/** Reads some samples first, and the rest on request. */
function listen(response: Response): { first(count: number): Promise<void>; rest(): Promise<Int16Array> } {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    if (value !== undefined) parts.push(value);
    return !done;
  };
  return {
    async first(count) {
      while (parts.reduce((sum, part) => sum + part.length, 0) < 2 * count) {
        if (!(await read()))
          throw new Error(`the answer was too short: ${response.status} ${Buffer.concat(parts).subarray(0, 300)}`);
      }
    },
    async rest() {
      while (await read());
      return new Int16Array(new Uint8Array(Buffer.concat(parts)).buffer);
    },
  };
}

let longAnswer: Int16Array;

afterAll(stopWorkers);
const share = sharedProcesses();
const folder = sharedFolder();
const redis = share(startRedis);
const front = share(async () => {
  await addWorker();
  return startFront(redis.url, folder, ['--max-queue', '4']);
});
beforeAll(async () => {
  [longAnswer] = (await referenceAnswers([long])) as [Int16Array];
});

beforeEach(async () => {
  const alive = workers.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  workers.splice(0, workers.length, ...alive);
  if (workers.length === 0) await addWorker();
  await eventually(async () => (await speak(front.url, 'Yes.', { seed: 1 })).ok, 'speech');
});

/** The keys of an idle queue. */
const lasting = [
  keys.model,
  keys.models,
  keys.modelsSeen,
  keys.protocols,
  keys.requestNumber,
  keys.totals,
  keys.workerDetails,
  keys.workers,
  ...Object.values(taskQueues).flatMap((queue) =>
    ['events', 'id', 'meta', 'stalled', 'stalled-check'].map((name) => `${keys.prefix}:${queue}:${name}`),
  ),
];

afterEach(async () => {
  const left = async (): Promise<readonly string[]> =>
    (await redis.client.keys('*')).filter((key) => !lasting.includes(key));
  await eventually(async () => (await left()).length === 0, 'nothing is left in the broker').catch(
    async (error: Error) => {
      throw new Error(`${error.message}, received ${(await left()).join(', ')}`);
    },
  );
});

describe('speech through a broker', () => {
  it('equals that of a single process bit by bit', async () => {
    const samples = await samplesOf(await speak(front.url, long, { seed: 1 }));
    expect(compareSamples(samples, longAnswer)).toEqual({ sameLength: true, difference: 0 });
  });

  it('is silence for a text without words, without a worker', async () => {
    // Events of the end of a task may come after its sound.
    const tasks = async (): Promise<number> =>
      (await redis.client.xrange(`${keys.prefix}:tasks:events`, '-', '+')).filter(([, fields]) =>
        fields.includes('added'),
      ).length;
    const before = await tasks();
    expect((await samplesOf(await speak(front.url, 'Yes.', { seed: 1 }))).some((sample) => sample !== 0)).toBe(true);
    const between = await tasks();
    expect(between).toBeGreaterThan(before);
    const samples = await samplesOf(await speak(front.url, '😀 ...', { seed: 1 }));
    expect([samples.length > 1000, samples.some((sample) => sample !== 0)]).toEqual([true, false]);
    expect(await tasks()).toBe(between);
  });

  it('loads no native code into the front end', () => {
    const maps = readFileSync(`/proc/${front.child.pid}/maps`, 'utf8');
    expect(maps).not.toMatch(/svc\.node|libggml|onnxruntime/);
  });

  it('supports complete parts and all file formats', async () => {
    const body = { input: 'Hello there, my good friend.', seed: 3, retry_badcase: true, response_format: 'flac' };
    expect((await bytesOf(post(`${front.url}/v1/audio/speech`, body))).toString('latin1', 0, 4)).toBe('fLaC');
  });

  it('uses the model of its workers, by its name or an alias', async () => {
    const list = async ({ url }: ServerProcess): Promise<readonly { readonly id: string }[]> =>
      (await statusAndJson<{ data: { id: string }[] }>(fetch(`${url}/v1/models`)))[1].data;
    const [{ id } = { id: '' }] = await list(front);
    const other = await startFront(redis.url, folder, ['--alias', `tts-1=${id}`]);
    try {
      expect(await list(other)).toMatchObject([
        { id, state: 'loaded', alias_of: null },
        { id: 'tts-1', state: 'loaded', alias_of: id },
      ]);
      const body = { input: 'Yes.', seed: 1, response_format: 'wav' };
      const spoken = (model: string) => bytesOf(post(`${other.url}/v1/audio/speech`, { ...body, model }));
      expect((await spoken('tts-1')).equals(await spoken(id))).toBe(true);
      const change = (name: string) => post(`${other.url}/v1/models/tts-1/${name}`, {});
      expect((await change('load')).status).toBe(200);
      const message = `model "${id}" is always loaded; stop its workers to free its memory`;
      await expectError(change('unload'), 409, message);
    } finally {
      await other.stop();
    }
  });

  it('adds voices, encoded by a worker, and uses them', async () => {
    const added = fetch(`${front.url}/v1/voices`, { method: 'POST', body: await almaAs('anna') });
    expect(await statusAndJson(added)).toMatchObject([201, { id: 'anna', prompt_audio_length: expect.any(Number) }]);
    const body = { input: 'Hello there.', voice: 'anna', seed: 3, response_format: 'wav' };
    expect((await post(`${front.url}/v1/audio/speech`, body)).status).toBe(200);
  });

  it('has the warnings of a single process, from front end and worker', async () => {
    const warned = async (body: object): Promise<string | null> => {
      const response = await post(`${front.url}/v1/audio/speech`, { response_format: 'wav', seed: 3, ...body });
      expect(response.status).toBe(200);
      const { samples } = decodeWav(Buffer.from(await response.arrayBuffer()));
      expect(samples.some((sample) => Math.abs(sample) > 0.1)).toBe(true);
      return response.headers.get('Warning');
    };
    expect(await warned({ input: 'Hello 你 there.' })).toContain('U+4F60');
    expect(await warned({ input: 'Hello there.' })).toBeNull();
    const { data } = (await (await fetch(`${front.url}/v1/voices`)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toContain('anna');
  });

  it('shares passes over the weights among requests', async () => {
    const total = async (name: string): Promise<number> => {
      const text = await (await fetch(`${front.url}/metrics`)).text();
      return Number(new RegExp(`^${name}\\{.+\\} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    await Promise.all([1, 2].map(async (seed) => samplesOf(await speak(front.url, textOf(seed, 6), { seed }))));
    await eventually(
      async () => (await total('svc_worker_pass_members_total')) > (await total('svc_worker_passes_total')),
      'more utterances than passes',
    );
  });

  it('reports errors like a single process', async () => {
    expect((await post(`${front.url}/v1/audio/speech`, { input: '' })).status).toBe(400);
    expect((await post(`${front.url}/v1/audio/speech`, { input: 'Hello.', voice: 'nobody' })).status).toBe(404);
  });

  it('exports metrics of the queue and of each worker', async () => {
    const text = await (await fetch(`${front.url}/metrics`)).text();
    for (const line of ['broker_up 1', 'broker_workers [1-9]', 'broker_waiting \\d+', 'broker_task_retries_total \\d+'])
      expect(text).toMatch(new RegExp(`^svc_${line}$`, 'm'));
    expect(text).toMatch(/^svc_worker_slots\{worker="[^"]+:\d+"\} 2$/m);
  });
});

describe('a worker that dies', () => {
  it('is replaced by another, without repeated or lost samples', async () => {
    await addWorker();
    const listener = listen(await speak(front.url, long, { seed: 1 }));
    await listener.first(16_000);
    const victim = await busyWorker();
    await victim.stop('SIGKILL');
    // Regenerated from the beginning and continued where it broke off: every new sample is identical.
    expect(compareSamples(await listener.rest(), longAnswer)).toEqual({ sameLength: true, difference: 0 });
    expect(Number(await redis.client.hget(keys.totals, 'retried'))).toBeGreaterThan(0);
  });

  it('adds nothing if it was only suspended and returns', async () => {
    await addWorker();
    const listener = listen(await speak(front.url, long, { seed: 1 }));
    await listener.first(16_000);
    const sleeper = await busyWorker();
    sleeper.child.kill('SIGSTOP');
    await wait(lockMilliseconds + 1_500);
    sleeper.child.kill('SIGCONT');
    expect(isSame(compareSamples(await listener.rest(), longAnswer))).toBe(true);
  });

  it('is not retried endlessly', async () => {
    await addWorker();
    const listener = listen(await speak(front.url, long, { seed: 1 }));
    await listener.first(8_000);
    // As if five workers had died.
    const [job] = await redis.client.lrange(`${keys.prefix}:tasks:active`, 0, -1);
    await redis.client.hset(keys.job(job as string), 'stc', mostCrashes);
    const victim = await busyWorker();
    await victim.stop('SIGKILL');
    await expect(listener.rest()).rejects.toThrow();
    const isGivenUp = (): boolean => workers.some((worker) => worker.log().includes('task failed: its workers died'));
    await eventually(isGivenUp, 'a worker gives it up');
  });

  it('finishes its tasks on SIGTERM and takes no more', async () => {
    const other = await addWorker();
    const listener = listen(await speak(front.url, long, { seed: 1 }));
    await listener.first(8_000);
    const busy = await busyWorker();
    expect((await busy.stop('SIGTERM')).code).toBe(0);
    expect(isSame(compareSamples(await listener.rest(), longAnswer))).toBe(true);
    expect(other.log()).not.toContain('task failed: its workers died');
  });

  it('returns its tasks to the queue after the drain time', async () => {
    await stopWorkers();
    const hasty = await addWorker('--drain-seconds', '0');
    await eventually(async () => (await speak(front.url, 'Yes.', { seed: 1 })).ok, 'speech');
    const listener = listen(await speak(front.url, long, { seed: 1 }));
    await listener.first(8_000);
    const leaving = hasty.stop('SIGTERM');
    await addWorker();
    expect((await leaving).code).toBe(0);
    expect(isSame(compareSamples(await listener.rest(), longAnswer))).toBe(true);
    expect(hasty.log()).toContain('returned to the queue');
  });
});

describe('requests that end early', () => {
  const isIdle = async (): Promise<boolean> => (await reports()).every(({ active }) => active === 0);

  it('free the worker when the client disconnects', async () => {
    const gone = new AbortController();
    const response = await speak(front.url, long, { seed: 1, signal: gone.signal });
    await listen(response).first(2_000);
    gone.abort();
    await eventually(async () => (await redis.client.keys(keys.audio('*'))).length === 0, 'the stream is gone');
    await eventually(isIdle, 'all workers are idle');
  });

  it('can be canceled from another front end, by number or all at once', async () => {
    const other = await startFront(redis.url, folder);
    try {
      const one = await speak(front.url, long, { seed: 1 });
      const two = await speak(front.url, long, { seed: 2 });
      const id = Number(one.headers.get('X-Job-Id'));
      const cancelled = await post(`${other.url}/v1/audio/speech/cancel`, { job_id: id });
      expect(await cancelled.json()).toMatchObject({ cancelled: [id] });
      await expect(samplesOf(one)).rejects.toThrow();
      const all = post(`${other.url}/v1/audio/speech/cancel`, {});
      expect(await statusAndJson(all)).toMatchObject([200, { cancelled: [Number(two.headers.get('X-Job-Id'))] }]);
      await expect(samplesOf(two)).rejects.toThrow();
      await eventually(isIdle, 'all workers are idle');
    } finally {
      await other.stop('SIGKILL');
    }
  });

  it('are dropped when their front end dies', async () => {
    const other = await startFront(redis.url, folder);
    await speak(other.url, long, { seed: 1 });
    await other.stop('SIGKILL');
    await eventually(async () => (await redis.client.zcard(keys.requests)) === 0, 'its lease has ended');
    await eventually(isIdle, 'all workers are idle');
  });
});

describe('overload', () => {
  it('is refused with Retry-After', async () => {
    await stopWorkers();
    await addWorker();
    await eventually(async () => (await reports()).length === 1, 'one worker is alive');
    const gone = new AbortController();
    const asked = Array.from({ length: 16 }, (_, index) =>
      speak(front.url, long, { seed: index, signal: gone.signal }).catch(() => undefined),
    );
    // The status of a full queue on this route.
    const full = asked.map(async (answer) => {
      const response = await answer;
      if (response?.status !== 429) throw new Error(`status ${response?.status}`);
      return response;
    });
    const refused = await Promise.any(full);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ code: 'queue_full' });
    // Two slots and four waiting requests, however many arrive at once.
    expect(await redis.client.zcard(keys.requests)).toBeLessThanOrEqual(6);
    gone.abort();
    await Promise.all(asked);
  });

  it('generates little for a listener that does not read', async () => {
    const gone = new AbortController();
    const response = await speak(front.url, textOf(1, 200), { seed: 1, signal: gone.signal });
    const lengths: number[] = [];
    const heard = { kind: 'speech', mayRetract: false } as const;
    // Socket buffers take some; then the worker waits.
    await eventually(async () => {
      const [audio] = await redis.client.keys(keys.audio('*'));
      lengths.push(audio === undefined ? 0 : await redis.client.xlen(audio));
      return lengths.length > 20 && lengths.slice(-20).every((length) => length > mostUnread(heard));
    }, 'the worker waits');
    expect(Math.max(...lengths)).toBeLessThanOrEqual(mostUnread(heard) + 2);
    expect(response.status).toBe(200);
    gone.abort();
  });
});

describe('a front end', () => {
  it('finishes its requests on SIGTERM', async () => {
    const other = await startFront(redis.url, folder, patient);
    const listener = listen(await speak(other.url, long, { seed: 1 }));
    await listener.first(8_000);
    const stopped = other.stop('SIGTERM');
    expect(isSame(compareSamples(await listener.rest(), longAnswer))).toBe(true);
    expect((await stopped).code).toBe(0);
  });

  it('fails unfinished requests after the drain time, with Retry-After', async () => {
    const other = await startFront(redis.url, folder, ['--drain-seconds', '0']);
    const seeds = [1, 2, 3, 4];
    const asked = seeds.map((seed) => speak(other.url, long, { seed }));
    const admitted = async (): Promise<boolean> => (await redis.client.zcard(keys.requests)) === seeds.length;
    await eventually(admitted, 'all are admitted');
    const stopped = other.stop('SIGTERM');
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ ok }) => !ok);
    await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.arrayBuffer().catch(() => undefined)));
    // One worker has two slots, so at least two had no audio yet.
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const answer of refused) {
      expect(answer.headers.get('Retry-After')).toBe('5');
      await expectError(answer, 503, 'the server is shutting down; retry later');
    }
    expect((await stopped).code).toBe(0);
  });

  it('reports missing workers, and recovers when one starts', async () => {
    await stopWorkers();
    const noWorker = async (): Promise<boolean> =>
      /^svc_broker_workers 0$/m.test(await (await fetch(`${front.url}/metrics`)).text());
    await eventually(noWorker, 'the front end misses them');
    expect(await errorOf(await speak(front.url, 'Yes.', { seed: 1 }))).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^no worker is running for model .+; retry later$/),
    });
    await addWorker();
    await eventually(async () => (await speak(front.url, 'Yes.', { seed: 1 })).ok, 'speech');
  });
});

describe('a broker that goes down', () => {
  it('is reported to clients, and used again when it returns', async () => {
    await redis.kill();
    await eventually(async () => (await speak(front.url, 'Yes.', { seed: 1 })).status === 503, 'a refusal');
    const refusal = await speak(front.url, 'Yes.', { seed: 1 });
    expect(refusal.headers.get('Retry-After')).toBe('5');
    const message = 'the server cannot reach its broker; retry later';
    await expectError(refusal, 503, { code: 'unavailable', message });
    await redis.start();
    await eventually(async () => (await speak(front.url, 'Yes.', { seed: 1 })).ok, 'speech');
  });

  it('causes only a pause, even if it loses all data', async () => {
    const listener = listen(await speak(front.url, long, { seed: 1 }));
    await listener.first(8_000);
    await redis.kill();
    await redis.start();
    expect(isSame(compareSamples(await listener.rest(), longAnswer))).toBe(true);
  });
});

describe('command line errors', () => {
  const ended = (settings: readonly string[]): Promise<string> =>
    startSvc(settings, 'never').then(
      () => 'started',
      (error: Error) => error.message,
    );

  it.each([
    [['worker'], 2, '--broker is required: name a Redis server'],
    [['worker', '--queue', 'other'], 2, '--queue needs --broker'],
    [['serve', '--queue', 'other', '--model-path', 'x.gguf'], 2, '--queue needs --broker'],
    [['worker', '--broker', 'http://x'], 2, '--broker must be an address such as redis://127.0.0.1:6379'],
    [['serve', '--broker', 'redis://x', '--model-path', 'x.gguf'], 2, '--broker and --model-path cannot be combined'],
  ])('%j', async (settings, code, message) => {
    const outcome = await ended(settings);
    expect(outcome).toContain(`ended with ${code}:`);
    expect(outcome).toContain(message);
  });

  it.each([
    ['worker', '//', '//svc:wrong@', /Redis at redis:\/\/127\.0\.0\.1:\d+ refuses the user or password/],
    ['serve', '//', '//svc:wrong@', /Redis at redis:\/\/127\.0\.0\.1:\d+ refuses the user or password/],
    ['worker', /redis:(.*)/, 'redis+sentinel:$1/main', /is no Sentinel; write redis:\/\/HOST:PORT/],
    ['worker', 'redis:', 'redis+cluster:', /belongs to no cluster; write redis:\/\/HOST:PORT/],
    ['worker', /$/, '/99', /Redis at redis:\/\/127\.0\.0\.1:\d+\/99 has no database 99/],
    ['serve', /$/, '/99', /Redis at redis:\/\/127\.0\.0\.1:\d+\/99 has no database 99/],
  ] as const)('svc %s at an address with %p as %j', async (command, part, wrong, message) => {
    const outcome = await ended([command, '--broker', redis.url.replace(part, wrong)]);
    expect(outcome).toContain('ended with 5:');
    expect(outcome).toMatch(message);
  });

  it('a worker with another model', async () => {
    const other = 'tests/fixtures/peer-tiny-v1.gguf';
    const outcome = await ended(['worker', '--broker', redis.url, '--model-path', other, '--threads', '1']);
    expect(outcome).toContain('ended with 1:');
    expect(outcome).toMatch(/queue "speech" serves .+, not .+; choose another --queue/);
  });
});
