/** The calls of the protocol, answered by a model. */
import { SvcError } from '../../../../errors.ts';
import type { Handle, OnnxModel, Slices } from '../model.ts';
import type { Calls } from './protocol.ts';

export type Handlers<Name extends keyof Calls = keyof Calls> = {
  readonly [Key in Name]: (...args: Parameters<Calls[Key]>) => Promise<ReturnType<Calls[Key]>>;
};

/** All calls but the one that makes the model. */
export function modelHandlers(model: () => OnnxModel): Handlers<Exclude<keyof Calls, 'load'>> {
  const calls = new Map<number, Slices<Float32Array | Handle>>();
  let count = 0;
  const begin = async (slices: Slices<Float32Array | Handle>): Promise<number> => {
    count += 1;
    calls.set(count, slices);
    return count;
  };
  return {
    encode: async (samples) => begin(model().encode(samples)),
    open: async (input) => begin(model().open(input)),
    async advance(call) {
      const slices = calls.get(call);
      if (slices === undefined) throw new SvcError('INTERNAL', `expected a call in slices, received ${call}`);
      const { done, value } = await slices.next().catch((error: unknown) => {
        calls.delete(call);
        throw error;
      });
      if (done !== true) return { done: false };
      calls.delete(call);
      return { done, result: value as Float32Array | Handle };
    },
    async abandon(call) {
      const slices = calls.get(call);
      calls.delete(call);
      await slices?.return(0);
    },
    step: (handles, noise) => model().step(handles, noise),
    decode: (handles, patches) => model().decode(handles, patches),
    close: (handle) => model().close(handle),
    dispose: () => model().dispose(),
  };
}
