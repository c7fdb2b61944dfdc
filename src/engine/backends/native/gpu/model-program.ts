/** The process that runs a model on a GPU: opens it, then runs its calls and answers each. */
import { stat } from 'node:fs/promises';
import process from 'node:process';
import { plainError, SvcError } from '../../../../errors.ts';
import type { NativeModel, NativeModelInfo } from '../addon.ts';
import { loadNative } from '../load-addon.ts';
import { accessDevices } from './device-access.ts';
import { createMemoryGuard, type MemoryGuard } from './device-memory.ts';
import type { ModelCall, ModelMessage, ModelReply, ModelTask } from './model-messages.ts';
import { warmUp } from './warm-up.ts';

let model: NativeModel;
let guard: MemoryGuard;

async function openModel({ directories, library, device, ...task }: ModelTask): Promise<NativeModelInfo> {
  const { addon } = loadNative(directories);
  const access = accessDevices(addon, library);
  const found = access.devices.find(({ name }) => name === device.name);
  if (found === undefined || found.id !== device.id || found.description !== device.description) {
    throw new SvcError('DEVICE_LOST', `${device.name} (${device.description}) is gone`);
  }
  guard = createMemoryGuard(device.name, () => access.memory(device.name));
  access.prepare(device);
  guard.requireModel((await stat(task.path)).size);
  model = await addon.openModel(task.path, device.name, task.threads, access.engine, task.ditType);
  await model.load();
  await warmUp(model, guard, task.sessions);
  return model.info;
}

/** Calls that take memory of the device. */
const growing: readonly ModelCall[] = ['open', 'openEncoding', 'openAdapter'];

async function answer(id: number, compute: () => Promise<unknown>): Promise<void> {
  const reply = async (): Promise<ModelReply> => {
    try {
      const result = await compute();
      return { id, result, state: { memory: model.memoryUse(), work: model.stageTimes(), device: guard.state() } };
    } catch (thrown) {
      return { id, error: plainError(thrown) };
    }
  };
  process.send?.(await reply());
}

process.on('message', (message: ModelMessage) => {
  if ('task' in message) return void answer(0, () => openModel(message.task));
  const { id, name, args } = message;
  return void answer(id, () => {
    if (growing.includes(name)) guard.requireSession();
    const result = Reflect.apply(model[name], model, args) as Promise<unknown>;
    return name.startsWith('close') ? result.then(() => guard.refresh()) : result;
  });
});

// A terminal and a supervisor send them to all processes of a group; this one serves until its parent has ended.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// At once: drivers may crash or wait while they are unloaded.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
