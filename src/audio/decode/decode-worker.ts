/** The decoder thread: decodes or denoises one recording at a time. `decode-pool.ts` terminates it on timeout. */
import { parentPort } from 'node:worker_threads';
import { toSvcError } from '../../errors.ts';
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
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

const reply = (message: DecodeReply, transfer: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transfer);

parentPort?.on('message', async ({ bytes, limits, noise }: DecodeRequest) => {
  try {
    const decoded = await decode(bytes, limits);
    // Loaded late: most recordings are not denoised.
    const audio = noise === 'keep' ? decoded : await (await import('../analyze/denoise.ts')).denoise(decoded);
    reply({ kind: 'audio', audio }, [audio.samples.buffer as ArrayBuffer]);
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    reply({ kind: 'error', code, message });
  }
});
reply({ kind: 'ready' });
