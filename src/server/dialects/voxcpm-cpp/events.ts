/** Audio as server-sent events of VoxCPM.cpp's server. */
import { createByteSink, through } from '../../../audio/encode/sink.ts';
import type { Problem } from '../../http/problem.ts';
import type { EncoderPool } from '../../speech/encoder-pool.ts';
import { base64, type EventOptions, type SpeechOutput, timing, warningsField } from '../../speech/speech-output.ts';

/** Last event of failed speech, with the reason. */
export const nativeFailure = ({ message, code }: Problem): string =>
  `event: audio.error\ndata: ${JSON.stringify({ type: 'audio.error', error: true, message, code })}\n\n`;

/** Each event contains a complete audio file. */
export function nativeEvents(
  encoders: EncoderPool,
  { encoder, send, warnings, timestamps }: EventOptions,
): SpeechOutput {
  const event = (data: Readonly<Record<string, unknown>>): Promise<void> =>
    send(Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`));
  return {
    async write(samples) {
      const parts: Uint8Array[] = [];
      const file = through(
        encoders.open(encoder),
        createByteSink(async (bytes) => void parts.push(bytes)),
      );
      await file.write(samples);
      await file.finish();
      await event({ type: 'audio.delta', delta: base64(Buffer.concat(parts)), format: encoder.format });
    },
    finish: () => event({ type: 'audio.completed', ...warningsField(warnings()) }),
    abort: () => Promise.resolve(),
    ...timing(timestamps, (items) => event({ type: 'audio.timestamps', items })),
  };
}
