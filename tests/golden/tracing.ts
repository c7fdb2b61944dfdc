import type { AdapterUse, Backend, Step } from '../../src/engine/backend.ts';
import type { Subject } from './subject.ts';

/** Inputs of a generated patch and its stop logits. */
export type TracedStep = Required<Omit<Step, 'attention' | 'failure'>>;

/** Wraps a backend to record every step in `trace`; its sessions use `adapter`. */
export function traceSteps(backend: Subject, trace: TracedStep[], adapter?: AdapterUse): Backend {
  return {
    info: backend.info,
    encode: (samples) => backend.encode(samples),
    metadata: (key) => backend.metadata(key),
    open: (settings, signal) => backend.open({ ...settings, adapter }, signal),
    decode: (batch) => backend.decode(batch),
    async step(batch) {
      const outputs = await backend.traceStep(batch);
      for (const { patch, stopLogits, lmHidden, residualHidden } of outputs) {
        if (!lmHidden || !residualHidden) throw new Error('a traced step has no hidden states');
        trace.push({ patch, stopLogits, lmHidden, residualHidden });
      }
      return outputs;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** argmax of `[continue, stop]`; the first of equals, like the official implementation. */
export const decision = (stopLogits: Float32Array): number =>
  (stopLogits[1] as number) > (stopLogits[0] as number) ? 1 : 0;
