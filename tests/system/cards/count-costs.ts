/**
 * Counts what steps of a model take on a card, and which memory: `count-costs.ts MODEL KERNELS`, with a driver whose card
 * computes nothing. Prints JSON.
 */
import process from 'node:process';
import type { NativeModel } from '../../../src/engine/backends/native/addon.ts';
import { accessDevices } from '../../../src/engine/backends/native/gpu/device-access.ts';
import { loadNative } from '../../../src/engine/backends/native/load-addon.ts';

const device = 'CUDA0';
const mebibyte = 2 ** 20;

/** Opens sessions of this length until there are enough, or the memory is full. */
async function openMany(model: NativeModel, most: number, positions: number): Promise<readonly number[]> {
  const sessions: number[] = [];
  try {
    while (sessions.length < most) {
      const tokens = Int32Array.from({ length: positions }, (_, index) => 5 + ((index + sessions.length) % 50));
      const prefix = { tokens, audioMask: new Uint8Array(positions), features: new Float32Array(0) };
      const session = await model.open({ ...prefix, cfg: 2, timesteps: 10 });
      sessions.push(session);
      while (!(await model.prefill(session)));
    }
  } catch (thrown) {
    if ((thrown as { readonly code?: string }).code !== 'OUT_OF_MEMORY') throw thrown;
    const last = sessions.pop();
    if (last !== undefined) await model.closeSession(last);
  }
  return sessions;
}

/** Steps and decodes once. */
async function stepAll(model: NativeModel, sessions: readonly number[]): Promise<void> {
  const { patchSize, featureDim } = model.info;
  const noise = sessions.map(() => new Float32Array(patchSize * featureDim));
  const steps = await model.step(sessions, noise, 'plain');
  await model.decode(
    sessions,
    steps.map(({ patch }) => patch),
  );
}

async function closeAll(model: NativeModel, sessions: readonly number[]): Promise<void> {
  for (const session of sessions) await model.closeSession(session);
}

async function countCosts(path: string, kernels: string): Promise<object> {
  const { addon } = loadNative();
  const access = accessDevices(addon, { backend: 'cuda', path: kernels });
  const card = access.devices.find(({ name }) => name === device);
  if (card === undefined) throw new Error(`no ${device}`);
  access.prepare(card);
  const usedMiB = (): number => {
    const { freeBytes, totalBytes } = access.memory(device);
    return Math.round((totalBytes - freeBytes) / mebibyte);
  };
  const model = await addon.openModel(path, device, 1, 'cuda');
  await model.load();
  const weightsMiB = usedMiB();
  const steps: Record<string, object> = {};
  // The buffers of all batches stay.
  for (const streams of [1, 2, 4, 8, 16, 32, 64]) {
    const sessions = await openMany(model, streams, 32);
    const before = model.stageTimes();
    await stepAll(model, sessions);
    const after = model.stageTimes();
    const total = (name: 'launches' | 'weightBytes' | 'bytes' | 'operations'): number =>
      (after?.[name] ?? 0) - (before?.[name] ?? 0);
    await closeAll(model, sessions);
    steps[streams] = {
      launches: total('launches'),
      weightMb: Math.round(total('weightBytes') / 1e6),
      stepMb: Math.round(total('bytes') / 1e6),
      gigaOperations: Math.round(total('operations') / 1e9),
      usedMiB: usedMiB(),
    };
  }
  const sessionsOf: Record<string, number> = {};
  for (const positions of [1700, 4096]) {
    const sessions = await openMany(model, 64, positions);
    await stepAll(model, sessions);
    sessionsOf[positions] = sessions.length;
    await closeAll(model, sessions);
  }
  return { weightsMiB, steps, sessionsOf };
}

const [path = '', kernels = ''] = process.argv.slice(2);
countCosts(path, kernels).then(
  (costs) => process.stdout.write(JSON.stringify(costs), () => process.kill(process.pid, 'SIGKILL')),
  (thrown: unknown) => {
    process.stderr.write(`${thrown}\n`, () => process.kill(process.pid, 'SIGKILL'));
  },
);
