/** The calls of the protocol, answered by one model. */
import { SvcError } from '../../../errors.ts';
import type { OnnxModel } from './model.ts';
import type { Calls } from './protocol.ts';

export type Handlers = {
  readonly [Name in keyof Calls]: (...args: Parameters<Calls[Name]>) => Promise<ReturnType<Calls[Name]>>;
};

/** @param open loads the model of the one `load` call */
export function createHandlers(open: (...args: Parameters<Calls['load']>) => Promise<OnnxModel>): Handlers {
  let model: OnnxModel | undefined;
  const loaded = (): OnnxModel => {
    if (model) return model;
    throw new SvcError('INTERNAL', 'expected a loaded model for a call, received none');
  };
  return {
    async load(options) {
      model = await open(options);
      return { info: model.info, metadata: model.metadata };
    },
    encode: (samples) => loaded().encode(samples),
    open: (input) => loaded().open(input),
    step: (handles, noise) => loaded().step(handles, noise),
    decode: (handles, patches) => loaded().decode(handles, patches),
    close: (handle) => loaded().close(handle),
    async dispose() {
      await model?.dispose();
      model = undefined;
    },
  };
}
