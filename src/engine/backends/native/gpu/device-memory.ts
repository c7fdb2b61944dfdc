/** The memory of a GPU, as far as its driver tells: models and sessions are refused before it runs out. */
import { SvcError } from '../../../../errors.ts';
import type { DeviceMemory } from '../addon.ts';

/** Left for what libraries allocate while they compute, which ends the process where it fails. */
const reserveOf = (totalBytes: number): number => Math.max(64 * 2 ** 20, 0.02 * totalBytes);

const inMebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

export interface MemoryGuard {
  /** @throws SvcError OUT_OF_MEMORY */
  requireModel(fileBytes: number): void;
  /** Measures what `count` sessions take that `open` opens; closes them with the function that it returns. */
  measure(count: number, open: () => Promise<() => Promise<void>>): Promise<void>;
  /** @throws SvcError OUT_OF_MEMORY */
  requireSession(): void;
}

/** @param read memory of the device; zero where it is unknown */
export function createMemoryGuard(name: string, read: () => DeviceMemory): MemoryGuard {
  let perSession = 0;

  function require(bytes: number, purpose: string, remedy: string): void {
    const { freeBytes, totalBytes } = read();
    const needed = bytes + reserveOf(totalBytes);
    if (totalBytes === 0 || freeBytes >= needed) return;
    throw new SvcError(
      'OUT_OF_MEMORY',
      `${purpose} needs about ${inMebibytes(needed)} MiB on ${name}, which has ${inMebibytes(freeBytes)} of ${inMebibytes(totalBytes)} MiB free`,
      { remedy },
    );
  }

  return {
    requireModel: (bytes) => require(bytes, 'the model', 'use a smaller model or quantization type, or --backend cpu'),
    async measure(count, open) {
      const before = read().freeBytes;
      const close = await open();
      perSession = Math.max(perSession, (before - read().freeBytes) / count);
      await close();
    },
    requireSession: () => require(perSession, 'another utterance', 'retry later, or lower --max-batch'),
  };
}
