/** The decoder thread: decodes or denoises one recording at a time. `decode-pool.ts` terminates it on timeout. */
import { parentPort } from 'node:worker_threads';
import { type PlainError, plainError } from '../../errors.ts';
import type { Audio } from '../audio.ts';
import { decode } from './decode.ts';
import type { DecodeLimits } from './decode-limits.ts';

export interface DecodeRequest {
  readonly bytes: Uint8Array;
  readonly limits: DecodeLimits;
  readonly noise: 'keep' | 'remove';
}

export type DecodeReply =
  /** The code is loaded; the time limit starts. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'audio'; readonly audio: Audio }
  | { readonly kind: 'error'; readonly error: PlainError };

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
