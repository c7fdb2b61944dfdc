/** The memory of a GPU, as far as its driver tells: models and sessions are refused before it runs out. */
import { SvcError, toSvcError } from '../../../../errors.ts';
import type { DeviceMemory } from '../addon.ts';

/** Left for what libraries allocate while they compute, which ends the process where it fails. */
const reserveOf = (totalBytes: number): number => Math.max(64 * 2 ** 20, 0.02 * totalBytes);

const inMebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/** What is known of the memory of a device; nothing where its driver doesn't tell. */
export interface DeviceState extends Partial<DeviceMemory> {
  /** How many more sessions fit. */
  readonly room?: number | undefined;
  /** The most sessions whose steps fit. */
  readonly mostStreams?: number | undefined;
}

export interface MemoryGuard {
  /** @throws SvcError OUT_OF_MEMORY */
  requireModel(fileBytes: number): void;
  /**
   * Measures what sessions take, up to `most` of them, that `open` opens; halves their number until they fit. Closes them with
   * the function that it returns.
   *
   * @throws SvcError OUT_OF_MEMORY if a single one doesn't fit
   */
  measure(most: number, open: (count: number) => Promise<() => Promise<void>>): Promise<void>;
  /** @throws SvcError OUT_OF_MEMORY */
  requireSession(): void;
  /** Reads the memory again after sessions came or went. */
  refresh(): void;
  state(): DeviceState;
}

/** @param read memory of the device; zero where it is unknown */
export function createMemoryGuard(name: string, read: () => DeviceMemory): MemoryGuard {
  let perSession = 0;
  let mostStreams: number | undefined;
  let last: DeviceMemory = { freeBytes: 0, totalBytes: 0 };

  function readAgain(): DeviceMemory {
    last = read();
    return last;
  }

  function require(bytes: number, purpose: string, remedy: string): void {
    const { freeBytes, totalBytes } = readAgain();
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
    async measure(most, open) {
      for (let count = most; ; count = Math.floor(count / 2)) {
        const before = read().freeBytes;
        try {
          const close = await open(count);
          perSession = Math.max(perSession, (before - read().freeBytes) / count);
          await close();
          if (count < most) mostStreams = count;
          return;
        } catch (thrown) {
          if (count === 1 || toSvcError(thrown).code !== 'OUT_OF_MEMORY') throw thrown;
        } finally {
          readAgain();
        }
      }
    },
    requireSession: () => require(perSession, 'another utterance', 'retry later, or lower --max-batch'),
    refresh: () => void readAgain(),
    state() {
      const { freeBytes, totalBytes } = last;
      if (totalBytes === 0) return { mostStreams };
      const left = Math.max(0, freeBytes - reserveOf(totalBytes));
      return { freeBytes, totalBytes, mostStreams, room: perSession > 0 ? Math.floor(left / perSession) : undefined };
    },
  };
}
