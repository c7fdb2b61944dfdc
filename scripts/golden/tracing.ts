import type { Backend, Session } from '../../src/engine/backend.ts';
import type { NativeModel, NativeSession } from '../../src/engine/backends/addon.ts';

/** What one generated patch was made from, and how the stop head judged it. */
export interface TracedStep {
  readonly patch: Float32Array;
  readonly stopLogits: Float32Array;
  readonly lmHidden: Float32Array;
  readonly residualHidden: Float32Array;
}

interface TracedSession extends Session {
  readonly handle: NativeSession;
}

/** The model behind the seam, with every step kept in `trace`. Holds as much of a backend as the loop needs. */
export function traceSteps(backend: Backend, model: NativeModel, trace: TracedStep[]): Backend {
  const handleOf = ({ session }: { readonly session: Session }): NativeSession => (session as TracedSession).handle;
  return {
    info: backend.info,
    encode: (samples) => backend.encode(samples),
    metadata: (key) => backend.metadata(key),
    async open({ tokens, audioMask, features }, { cfg, timesteps }): Promise<TracedSession> {
      const handle = await model.open(tokens, audioMask, features, cfg, timesteps, new Int32Array(1));
      return { handle, timesteps, close: () => model.closeSession(handle) };
    },
    async step(batch) {
      const noise = batch.map((input) => input.noise);
      const outputs = await model.step(batch.map(handleOf), noise, 'trace');
      return outputs.map(({ patch, stopLogits, lmHidden, residualHidden }) => {
        if (!lmHidden || !residualHidden) throw new Error('expected hidden states for a traced step, received none');
        trace.push({ patch, stopLogits, lmHidden, residualHidden });
        return { patch, stop: decision(stopLogits) === 1 };
      });
    },
    decode: (batch) =>
      model.decode(
        batch.map(handleOf),
        batch.map(({ patches }) => patches),
      ),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** argmax of `[continue, stop]`; the first of equals, as in the original. */
export const decision = (stopLogits: Float32Array): number =>
  (stopLogits[1] as number) > (stopLogits[0] as number) ? 1 : 0;
