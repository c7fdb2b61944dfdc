import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEngineClient, type EngineClient } from '../../../src/web/local/engine-client.ts';
import type { FromWorker, Outcome, Report, ToWorker } from '../../../src/web/local/protocol.ts';
import { expectError } from '../../support/errors.ts';

/** A worker controlled by the test. */
class FakeWorker {
  readonly received: ToWorker[] = [];
  isAlive = true;
  onmessage: ((event: { readonly data: FromWorker }) => void) | undefined;
  onerror: ((event: { readonly message: string }) => void) | undefined;
  postMessage(message: ToWorker): void {
    this.received.push(message);
  }
  terminate(): void {
    this.isAlive = false;
  }
  tell(number: number, report: Report | Outcome): void {
    this.onmessage?.({ data: { number, report } });
  }
}

let workers: FakeWorker[];
let client: EngineClient;
const model = { name: 'one', architecture: 'voxcpm', sampleRate: 16_000, device: 'WebAssembly, 1 thread' } as const;
const order = { address: 'http://site.test/one/', device: 'auto' } as const;
const worker = (): FakeWorker => workers.at(-1) as FakeWorker;
const ignore = (): void => undefined;

beforeEach(() => {
  workers = [];
  client = createEngineClient(() => {
    workers.push(new FakeWorker());
    return worker() as unknown as Worker;
  });
});

async function load(): Promise<void> {
  const loading = client.load(order, ignore, new AbortController().signal);
  const { number } = worker().received.at(-1) as ToWorker;
  worker().tell(number, { kind: 'loaded', model });
  expect(await loading).toEqual(model);
}

describe('the engine in the worker', () => {
  it('loads, then generates speech in the same worker, piece by piece', async () => {
    await load();
    const heard: Report[] = [];
    const hear = (report: Report) => void heard.push(report);
    const speaking = client.speak({ text: 'Hello.', seed: 7 }, hear, new AbortController().signal);
    expect(worker().received.at(-1)).toEqual({ number: 2, order: { kind: 'speak', text: 'Hello.', seed: 7 } });
    worker().tell(2, { kind: 'samples', samples: Float32Array.of(0.5) });
    worker().tell(2, { kind: 'spoken' });
    await speaking;
    worker().tell(2, { kind: 'samples', samples: Float32Array.of(1) });
    expect(heard).toEqual([{ kind: 'samples', samples: Float32Array.of(0.5) }]);
    expect(workers).toHaveLength(1);
  });

  it('cancels speech in the worker and waits until it has stopped', async () => {
    await load();
    const controller = new AbortController();
    const speaking = client.speak({ text: 'Hello.', seed: 7 }, ignore, controller.signal);
    controller.abort();
    expect(worker().received.at(-1)).toEqual({ number: 2, order: 'cancel' });
    worker().tell(2, { kind: 'failed', code: 'CANCELLED', message: 'canceled' });
    await expect(speaking).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(worker().isAlive).toBe(true);
  });

  it('terminates the worker when loading is canceled, and starts another', async () => {
    const controller = new AbortController();
    const loading = client.load(order, ignore, controller.signal);
    controller.abort();
    await expect(loading).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(worker().isAlive).toBe(false);
    await load();
    expect(workers).toHaveLength(2);
  });

  it('reports a worker failure to all pending calls', async () => {
    await load();
    const speaking = client.speak({ text: 'Hello.', seed: 7 }, ignore, new AbortController().signal);
    worker().onerror?.({ message: 'unreachable' });
    await expectError(speaking, 'INTERNAL', 'the worker failed: unreachable');
    expect(worker().isAlive).toBe(false);
  });

  it('frees memory after running out of it', async () => {
    const loading = client.load(order, ignore, new AbortController().signal);
    worker().tell(1, { kind: 'failed', code: 'OUT_OF_MEMORY', message: 'cannot load flow.onnx: out of memory' });
    await expect(loading).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' });
    expect(worker().isAlive).toBe(false);
  });
});
