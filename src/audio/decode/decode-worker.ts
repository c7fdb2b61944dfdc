/** The decoder thread: decodes or denoises one recording at a time. `decode-pool.ts` terminates it on timeout. */
import { parentPort } from 'node:worker_threads';
import { plainError } from '../../errors.ts';
import type { ThreadReply } from '../../processors/thread-pool.ts';
import type { Audio } from '../audio.ts';
import { decode } from './decode.ts';
import type { DecodeLimits } from './decode-limits.ts';

export interface DecodeRequest {
  readonly bytes: Uint8Array;
  readonly limits: DecodeLimits;
  readonly noise: 'keep' | 'remove';
}

export type DecodeReply = ThreadReply | { readonly kind: 'audio'; readonly audio: Audio };

const reply = (message: DecodeReply, transfer: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transfer);

parentPort?.on('message', async ({ bytes, limits, noise }: DecodeRequest) => {
  try {
    const decoded = await decode(bytes, limits);
    // Loaded late: most recordings are not denoised.
    const audio = noise === 'keep' ? decoded : await (await import('../analyze/denoise.ts')).denoise(decoded);
    reply({ kind: 'audio', audio }, [audio.samples.buffer as ArrayBuffer]);
  } catch (thrown) {
    reply({ kind: 'error', error: plainError(thrown) });
  }
});
reply({ kind: 'ready' });
