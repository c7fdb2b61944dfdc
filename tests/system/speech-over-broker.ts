/** A worker and a front end in this process, at a broker of any kind, over a model that takes a set time for each step. */
import { pino } from 'pino';
import { openBrokerFront } from '../../src/broker/front/open-broker-front.ts';
import type { BrokerAddress } from '../../src/broker/shared/address.ts';
import { startBrokerWorker } from '../../src/broker/worker/broker-worker.ts';
import type { Backend } from '../../src/engine/backend.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { speakWith } from '../support/accept.ts';

const logger = pino({ level: process.env.SVC_TEST_LOG ?? 'silent' });
const request = { text: 'hello hello hello hello', seed: 7, minLength: 2, maxLength: 4096 };
const backendOf = (delayMilliseconds: number, steps: number) =>
  createFakeBackend({ stopAt: steps, info: { contextLength: 4096 }, delayMilliseconds });

export interface Heard {
  readonly samples: Float32Array;
  /** Between two chunks. */
  readonly longestPause: number;
}

export interface SpeechOverBroker extends AsyncDisposable {
  /** Speaks an utterance; calls `heard` after each chunk. */
  speak(received?: (chunks: number) => void): Promise<Heard>;
}

export interface Pace {
  readonly steps: number;
  readonly delayMilliseconds: number;
}

export async function openSpeech(
  address: BrokerAddress,
  { steps, delayMilliseconds }: Pace,
): Promise<SpeechOverBroker> {
  const pair = await openPair(address, backendOf(delayMilliseconds, steps));
  return {
    async speak(received = () => undefined) {
      const chunks: Float32Array[] = [];
      let [longestPause, last] = [0, performance.now()];
      for await (const { samples } of speakWith(pair.front.source, request)) {
        longestPause = chunks.length === 0 ? 0 : Math.max(longestPause, performance.now() - last);
        last = performance.now();
        chunks.push(samples);
        received(chunks.length);
      }
      return { samples: concatenate(chunks), longestPause };
    },
    [Symbol.asyncDispose]: pair[Symbol.asyncDispose],
  };
}

export interface BrokerPair extends AsyncDisposable {
  readonly front: Awaited<ReturnType<typeof openBrokerFront>>;
  readonly worker: Awaited<ReturnType<typeof startBrokerWorker>>;
}

/** A front end and a worker with one slot in this process. */
export async function openPair(address: BrokerAddress, backend: Backend): Promise<BrokerPair> {
  const engine = createEngineFromBackend(backend, { maxBatch: 1 });
  const worker = await startBrokerWorker({
    address,
    queue: 'q',
    engine,
    adapters: [],
    identity: 'model',
    slots: 1,
    logger,
  });
  const { signal } = new AbortController();
  const metrics = createMetrics();
  const front = await openBrokerFront({ address, queue: 'q', maxWaiting: 8, metrics, logger, signal });
  return {
    front,
    worker,
    async [Symbol.asyncDispose]() {
      await front.close();
      await worker.stop(1_000);
      await engine.close();
    },
  };
}

/** The same utterance without a broker. */
export async function speakAlone(steps: number): Promise<Float32Array> {
  const engine = createEngineFromBackend(backendOf(0, steps), { maxBatch: 1 });
  const { samples } = await engine.synthesize({ ...request, retryBadcase: false });
  await engine.close();
  return samples;
}
