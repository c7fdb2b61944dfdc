import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Backend } from '../../../../src/engine/backend.ts';
import { openOnnxBackend } from '../../../../src/engine/backends/onnx/open-onnx.ts';
import { createEngineFromBackend } from '../../../../src/engine/engine.ts';
import { errorOf, startServer, type TestServer } from '../../../server/start-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { exportedOnnx } from '../../../support/exported-onnx.ts';

/** A runtime that records its calls. */
interface Watched {
  readonly backend: Backend;
  readonly batches: number[];
  open(): number;
}

function watch(backend: Backend): Watched {
  const batches: number[] = [];
  let open = 0;
  const watched = new Proxy(backend, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'step') {
        return (batch: Parameters<Backend['step']>[0]) => {
          batches.push(batch.length);
          return target.step(batch);
        };
      }
      if (name === 'open') {
        return async (...args: Parameters<Backend['open']>) => {
          const session = await target.open(...args);
          open += 1;
          const close = session.close.bind(session);
          session.close = async () => {
            await close();
            open -= 1;
          };
          return session;
        };
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { backend: watched, batches, open: () => open };
}

describe('a server of an ONNX model', () => {
  let watched: Watched;
  let server: TestServer;
  beforeAll(async () => {
    watched = watch(await openOnnxBackend(await exportedOnnx('tiny-v2'), { backend: 'cpu', threads: 1 }));
    server = await startServer({ engine: createEngineFromBackend(watched.backend, { maxBatch: 4 }) });
  });
  afterAll(() => server.close());

  const body = (seed: number, more: object = {}): object => ({
    input: 'The birds were singing.',
    response_format: 'pcm',
    seed,
    min_length: 8,
    max_length: 8,
    retry_badcase: false,
    ...more,
  });

  const samplesOf = async (response: Response): Promise<Int16Array> => {
    expect(response.status).toBe(200);
    const bytes = await response.arrayBuffer();
    return new Int16Array(bytes);
  };

  it('streams audio immediately', async () => {
    const whole = await samplesOf(await server.speak(body(1)));
    expect(whole.length).toBeGreaterThan(0);
    const response = await server.speak(body(1, { stream_format: 'audio', stream: true }));
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(1);
    const bytes = new Uint8Array(Buffer.concat(chunks));
    expect(new Int16Array(bytes.buffer, 0, bytes.length / 2)).toEqual(whole);
  });

  it('computes each of several callers as if alone, in shared steps', async () => {
    const alone: Int16Array[] = [];
    for (const seed of [1, 2, 3]) alone.push(await samplesOf(await server.speak(body(seed))));
    watched.batches.length = 0;
    const answers = await Promise.all([1, 2, 3].map((seed) => server.speak(body(seed))));
    const together = await Promise.all(answers.map(samplesOf));
    for (const [index, expected] of alone.entries()) {
      const actual = together[index] as Int16Array;
      expect(actual).toHaveLength(expected.length);
      const largest = expected.reduce((most, value, at) => Math.max(most, Math.abs(value - (actual[at] as number))), 0);
      expect(largest).toBeLessThan(33);
    }
    expect(Math.max(...watched.batches)).toBeGreaterThan(1);
  });

  it('stops when the caller leaves, and serves the next', async () => {
    watched.batches.length = 0;
    const controller = new AbortController();
    const long = body(1, { min_length: 200, max_length: 200, stream: true });
    const response = await server.speak(long, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await eventually(() => watched.open() === 0, 'the session of the caller is closed');
    expect(watched.batches.length).toBeLessThan(200);
    await samplesOf(await server.speak(body(2)));
    expect(watched.open()).toBe(0);
  });

  it('refuses unsupported requests in one line', async () => {
    const response = await server.speak(body(1, { input: '' }));
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).not.toContain('\n');
  });
});
