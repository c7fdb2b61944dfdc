/** Audio as server-sent events of VoxCPM.cpp's server. */
import { createByteSink, through } from '../../audio/encode/sink.ts';
import { type AnswerForm, base64, eventStream, timing, warningsField } from './speech-output.ts';

/** Each event contains a complete audio file. */
export const nativeEvents: AnswerForm = {
  contentType: eventStream,
  failure: ({ message, code }) =>
    `event: audio.error\ndata: ${JSON.stringify({ type: 'audio.error', error: true, message, code })}\n\n`,
  open({ openEncoder, send, warnings, timestamps, format }) {
    const event = (data: Readonly<Record<string, unknown>>): Promise<void> =>
      send(Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`));
    return {
      async write(samples) {
        const parts: Uint8Array[] = [];
        const file = through(
          openEncoder(),
          createByteSink(async (bytes) => void parts.push(bytes)),
        );
        await file.write(samples);
        await file.finish();
        await event({ type: 'audio.delta', delta: base64(Buffer.concat(parts)), format });
      },
      finish: () => event({ type: 'audio.completed', ...warningsField(warnings()) }),
      abort: () => Promise.resolve(),
      ...timing(timestamps, (items) => event({ type: 'audio.timestamps', items })),
    };
  },
};
