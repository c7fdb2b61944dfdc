/**
 * Lets a process end while its ONNX thread computes: onnxruntime aborts the process when its thread is terminated in the
 * middle of a run. Two numbers that both threads see: whether the worker answers a call, and whether the process ends.
 */

const [busy, ending] = [0, 1];

/** Longest wait for the call under way, in milliseconds: a thread that crashed never says that it is through. */
const patience = 60_000;

const gates = new Set<Int32Array>();

function endCalls(): void {
  for (const gate of gates) {
    Atomics.store(gate, ending, 1);
    Atomics.wait(gate, busy, 1, patience);
  }
}

/** In the thread of the engine: a gate that holds the exit of the process until the worker is between two calls. */
export function createExitGate(): Int32Array {
  if (gates.size === 0) process.on('exit', endCalls);
  const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  gates.add(gate);
  return gate;
}

export function removeExitGate(gate: Int32Array): void {
  gates.delete(gate);
  if (gates.size === 0) process.off('exit', endCalls);
}

/** In the worker: answers a call, or never when the process ends. */
export async function passGate<Result>(gate: Int32Array, answer: () => Promise<Result>): Promise<Result> {
  Atomics.store(gate, busy, 1);
  try {
    if (Atomics.load(gate, ending) === 0) return await answer();
  } finally {
    Atomics.store(gate, busy, 0);
    Atomics.notify(gate, busy);
  }
  return new Promise(() => undefined);
}
