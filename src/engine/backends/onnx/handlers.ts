/** The calls of the protocol, answered by a model. */
import type { OnnxModel } from './model.ts';
import type { Calls } from './protocol.ts';

export type Handlers<Name extends keyof Calls = keyof Calls> = {
  readonly [Key in Name]: (...args: Parameters<Calls[Key]>) => Promise<ReturnType<Calls[Key]>>;
};

/** All calls but the one that makes the model. */
export const modelHandlers = (model: () => OnnxModel): Handlers<Exclude<keyof Calls, 'load'>> => ({
  encode: (samples) => model().encode(samples),
  open: (input) => model().open(input),
  step: (handles, noise) => model().step(handles, noise),
  decode: (handles, patches) => model().decode(handles, patches),
  close: (handle) => model().close(handle),
  dispose: () => model().dispose(),
});
