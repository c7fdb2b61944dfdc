/** A model in this process, on a device that may be lost. */
import { type SvcError, toSvcError } from '../../../../errors.ts';
import type { NativeDevice, NativeModel } from '../addon.ts';
import type { Connection } from './connections.ts';
import { modelCalls } from './model-messages.ts';
import { lossOf } from './open-in-process.ts';

/** Notes the first call that fails with DEVICE_LOST, since all later ones do. */
export function watchLoss(model: NativeModel, device: NativeDevice): Connection {
  let loss: SvcError | undefined;
  async function watched(call: () => Promise<unknown>): Promise<unknown> {
    try {
      return await call();
    } catch (thrown) {
      const { code, problem } = toSvcError(thrown);
      if (code !== 'DEVICE_LOST') throw thrown;
      // The way out of the addon is what happens here.
      loss ??= lossOf(device, problem.split(';')[0] ?? problem);
      throw loss;
    }
  }
  const calls = modelCalls.map((name) => [
    name,
    (...args: unknown[]) => watched(() => Reflect.apply(model[name], model, args) as Promise<unknown>),
  ]);
  return {
    device,
    decodesBeside: model.info.decodesBeside,
    model: { ...Object.fromEntries(calls), close: () => model.close() },
    state: () => ({ memory: model.memoryUse(), work: model.stageTimes(), device: {} }),
    loss: () => loss,
  };
}
