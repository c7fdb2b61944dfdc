/** Audio as server-sent events, in the words of the public speech API or of the family's native server. */
import type { WriteBytes } from '../audio/audio-encoder.ts';
import type { EncoderOptions } from '../audio/format.ts';
import type { EncoderPool } from './encoder-pool.ts';
import { bodyOf, type Problem } from './problem.ts';

export interface EventWriter {
  write(samples: Float32Array): Promise<void>;
  /** @param warnings about the speech */
  finish(warnings: readonly string[]): Promise<void>;
  /** Frees what is not finished. Never rejects. */
  close(): Promise<void>;
}

/** The last event of speech that fails: the packages of the public API throw what is under `error`. */
export const publicFailure = (problem: Problem): string =>
  `data: ${JSON.stringify({ type: 'error', ...bodyOf(problem) })}\n\n`;

/** As the native server has it, with the reason. */
export const nativeFailure = ({ message, code }: Problem): string =>
  `event: audio.error\ndata: ${JSON.stringify({ type: 'audio.error', error: true, message, code })}\n\n`;

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

/**
 * Those of the public speech API: one stream of audio, cut into events without a name. Its usage is counted in tokens;
 * here the input is counted in characters and the output in events.
 */
export async function publicEvents(
  encoders: EncoderPool,
  options: EncoderOptions,
  send: WriteBytes,
  text: string,
): Promise<EventWriter> {
  const event = (data: object): Promise<void> => send(Buffer.from(`data: ${JSON.stringify(data)}\n\n`));
  let sent = 0;
  const encoder = await encoders.open(options, async (bytes) => {
    if (bytes.length === 0) return;
    sent += 1;
    await event({ type: 'speech.audio.delta', audio: base64(bytes) });
  });
  return {
    write: encoder.write,
    async finish(warnings) {
      await encoder.finish();
      const input = [...text].length;
      const usage = { input_tokens: input, output_tokens: sent, total_tokens: input + sent };
      await event({ type: 'speech.audio.done', usage, ...(warnings.length > 0 && { warnings }) });
    },
    close: encoder.close,
  };
}

/** Those of the native server: each event is an audio file of its own. */
export async function nativeEvents(
  encoders: EncoderPool,
  options: EncoderOptions,
  send: WriteBytes,
): Promise<EventWriter> {
  const event = (data: Readonly<Record<string, unknown>>): Promise<void> =>
    send(Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`));
  return {
    async write(samples) {
      const parts: Buffer[] = [];
      const encoder = await encoders.open(options, async (bytes) => void parts.push(Buffer.from(bytes)));
      try {
        await encoder.write(samples);
        await encoder.finish();
      } catch (error) {
        await encoder.close();
        throw error;
      }
      const delta = base64(Buffer.concat(parts));
      await event({ type: 'audio.delta', delta, format: options.format });
    },
    finish: (warnings) => event({ type: 'audio.completed', ...(warnings.length > 0 && { warnings }) }),
    close: () => Promise.resolve(),
  };
}
