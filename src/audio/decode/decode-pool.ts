/** Decodes recordings in worker threads, which also denoise them: a few bytes can keep a decoder busy for hours. */
import { ThreadPool } from '../../processors/thread-pool.ts';
import type { Audio } from '../audio.ts';
import { type DecodeLimits, tooSlow, unsupported } from './decode-limits.ts';
import type { DecodeReply, DecodeRequest } from './decode-worker.ts';

/** Heap limit of a thread, for hostile containers with large tables. */
const heapMegabytes = 512;

const pool = new ThreadPool<DecodeReply>({
  name: 'decoder thread',
  heapMegabytes,
  program: ['./decode-worker', import.meta.url],
});

/** Moves the bytes to the thread; the caller's view is empty afterwards. @throws SvcError like `decodeAudio` */
export async function decodeInThread(
  bytes: Uint8Array<ArrayBuffer>,
  limits: DecodeLimits,
  {
    noise = 'keep',
    signal,
  }: Partial<Pick<DecodeRequest, 'noise'>> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Audio> {
  const { audio } = await pool.run({
    message: { bytes, limits, noise } satisfies DecodeRequest,
    transfer: [bytes.buffer],
    milliseconds: limits.milliseconds,
    signal,
    exceeds: (limit) => (limit === 'time' ? tooSlow(limits) : tooLarge()),
  });
  return audio;
}

const tooLarge = () =>
  unsupported(`the recording needs more memory to decode than the limit of ${heapMegabytes} MB; convert it to WAV`);
