/** Text that is written while workers speak it. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { startFront, startWorker } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import type { SvcProcess } from '../../bench/svc-process.ts';
import { type BrokerFront, openBrokerFront } from '../../src/broker/front/open-broker-front.ts';
import { parseBrokerUrl } from '../../src/broker/shared/address.ts';
import { brokerKeys } from '../../src/broker/shared/keys.ts';
import { lockMilliseconds } from '../../src/broker/shared/task.ts';
import { createTextFeed } from '../../src/engine/live/text-feed.ts';
import type { SpeechRequest } from '../../src/engine/speech-request.ts';
import { createEngine } from '../../src/index.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { openStream } from '../server/stream-client.ts';
import { speakWith } from '../support/accept.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { sharedProcesses } from './shared-processes.ts';

const keys = brokerKeys('speech');
const sentences = ['The first sentence is here. ', 'A second one follows it. ', 'The third one ends the text.'];
const request = { seed: 7, firstClause: false, retryBadcase: false } as const satisfies Omit<SpeechRequest, 'text'>;

const workers: SvcProcess[] = [];
let front: BrokerFront;

afterAll(async () => {
  await front?.close();
  await Promise.all(workers.map((worker) => worker.stop('SIGKILL')));
});
const redis = sharedProcesses()(startRedis);
beforeAll(async () => {
  workers.push(await startWorker(redis.url, '--max-batch', '1'));
  front = await openBrokerFront({
    address: parseBrokerUrl(redis.url),
    ...{ queue: 'speech', maxWaiting: 8, metrics: createMetrics(), logger: pino({ level: 'silent' }) },
    signal: new AbortController().signal,
  });
});

/** Written with pauses that make each sentence a piece. */
async function* written(pause = 400): AsyncGenerator<string, void, undefined> {
  for (const sentence of sentences) {
    yield sentence;
    yield '';
    await wait(pause);
  }
}

async function receive(stream: AsyncIterable<{ readonly samples: Float32Array }>): Promise<readonly number[]> {
  const all: number[] = [];
  for await (const { samples } of stream) for (const sample of samples) all.push(sample);
  return all;
}

async function alone(): Promise<readonly number[]> {
  await using engine = await createEngine({ threads: 1, backend: 'cpu' });
  return await receive(engine.stream({ ...request, text: written(0) }));
}

it('is spoken as by an engine in this process, with its words timed, and leaves nothing at the broker', async () => {
  const stream = speakWith(front.source, { ...request, text: written() }, { timestamps: 'words' });
  const all: number[] = [];
  const timed: string[] = [];
  for await (const { samples, sentences: spoken = [] } of stream) {
    for (const sample of samples) all.push(sample);
    timed.push(...spoken.map(({ text }) => text));
  }
  const expected = await alone();
  expect(all.length).toBe(expected.length);
  expect(all).toEqual(expected);
  expect(timed).toEqual(sentences.map((sentence) => sentence.trim()));
  await eventually(async () => (await redis.client.keys(keys.text('*'))).length === 0, 'the text is gone');
});

it('comes in over the WebSockets and as a body of a front end', async () => {
  await using folder = await temporaryFolder();
  const server = await startFront(redis.url, folder.path);
  try {
    const client = await openStream(server.url);
    client.send('session.config', { response_format: 'pcm', stream_audio: true, split_granularity: 'sentence' });
    client.send('input.text', { text: 'The first sentence is here. ' });
    expect((await client.until('audio.start')).at(-1)).toMatchObject({ sentence_text: 'The first sentence is here.' });
    client.say('The second one follows.');
    expect((await client.until('session.done')).at(-1)).toMatchObject({ total_sentences: 2 });
    await client[Symbol.asyncDispose]();

    const path = '/v1/text-to-speech/default/stream-input?output_format=pcm_16000';
    const other = new WebSocket(`${server.url.replace(/^http/, 'ws')}${path}`);
    const messages: { readonly audio?: string; readonly alignment?: { readonly chars: readonly string[] } }[] = [];
    other.on('message', (data) => messages.push(JSON.parse(data.toString())));
    await once(other, 'open');
    for (const text of [' ', 'Hello there, ', 'my friend. ', '']) other.send(JSON.stringify({ text }));
    await once(other, 'close');
    const chars = messages.flatMap(({ alignment }) => alignment?.chars ?? []);
    expect(chars.join('').trim()).toBe('Hello there, my friend.');
    expect(messages.some(({ audio = '' }) => audio.length > 1000)).toBe(true);

    const body = Readable.from(['Hello there, ', 'my friend.']);
    const init = { method: 'POST', body, headers: { 'Content-Type': 'text/plain' }, duplex: 'half' };
    const answer = await fetch(`${server.url}/v1/audio/speech?response_format=pcm`, init as unknown as RequestInit);
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 8000]).toEqual([200, true]);
  } finally {
    await server.stop('SIGKILL');
  }
});

it('is the same when a worker dies and another takes over', async () => {
  const expected = await alone();
  const feed = createTextFeed();
  await feed.push(sentences[0] as string);
  feed.flush();
  const all: number[] = [];
  const other = startWorker(redis.url, '--max-batch', '1').then((worker) => workers.push(worker));
  let isKilled = false;
  for await (const { samples, part } of speakWith(front.source, { ...request, text: feed.text })) {
    for (const sample of samples) all.push(sample);
    if (part !== 0 || isKilled) continue;
    isKilled = true;
    await other;
    await workers.shift()?.stop('SIGKILL');
    for (const sentence of sentences.slice(1)) {
      await feed.push(sentence);
      feed.flush();
    }
    feed.end();
  }
  expect(all.length).toBe(expected.length);
  expect(all).toEqual(expected);
});

it('takes no slot while nothing is written, and ends with its listener', async () => {
  const feed = createTextFeed();
  const leaving = new AbortController();
  await feed.push('Hello there, my friend. ');
  feed.flush();
  const stream = speakWith(front.source, { ...request, text: feed.text }, { signal: leaving.signal });
  expect((await stream.next()).done).toBe(false);
  // The worker has a single slot.
  expect((await receive(speakWith(front.source, { ...request, text: 'Good evening.' }))).length).toBeGreaterThan(0);
  const end = (async () => {
    while (!(await stream.next()).done);
  })();
  leaving.abort();
  await expect(end).rejects.toMatchObject({ code: 'CANCELLED' });
  await eventually(async () => (await redis.client.keys(keys.text('*'))).length === 0, 'the text is gone');
  expect(await feed.push('More.')).toBe(false);
});

it('rejects with the error of the text', async () => {
  const feed = createTextFeed();
  await feed.push('Hello there, my friend. ');
  feed.flush();
  const ending = receive(speakWith(front.source, { ...request, text: feed.text }));
  await wait(lockMilliseconds / 10);
  feed.fail(new Error('the writer broke'));
  await expect(ending).rejects.toThrow('the writer broke');
});
