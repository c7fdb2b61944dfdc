/** Bytes as base64, written as they come. */
import type { WriteBytes } from '../../audio/encode/sink.ts';

export function createBase64Writer(send: WriteBytes) {
  let rest: Uint8Array = new Uint8Array();
  const encode = (bytes: Uint8Array): Promise<void> => send(Buffer.from(Buffer.from(bytes).toString('base64')));
  return {
    async write(bytes: Uint8Array): Promise<void> {
      const all = Buffer.concat([rest, bytes]);
      const whole = all.length - (all.length % 3);
      rest = all.subarray(whole);
      await encode(all.subarray(0, whole));
    },
    finish: (): Promise<void> => encode(rest),
  };
}
