/**
 * Lets a process exit while its ONNX thread computes: onnxruntime aborts the process if its thread is terminated during
 * a run. Both threads share two flags: whether the worker is running a call, and whether the process is exiting.
 */

const [busy, ending] = [0, 1];

/** Longest wait for the running call, in milliseconds: a crashed thread never clears its flag. */
const patience = 60_000;

const gates = new Set<Int32Array>();

function endCalls(): void {
  for (const gate of gates) {
    Atomics.store(gate, ending, 1);
    Atomics.wait(gate, busy, 1, patience);
  }
}

/** For the engine thread: creates a gate that delays the exit of the process until the worker is between two calls. */
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

/** For the worker: runs a call, or never settles if the process is exiting. */
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
