/** Audio as server-sent events. */
import { createByteSink, through } from '../../audio/encode/sink.ts';
import { bodyOf } from '../http/problem.ts';
import { type AnswerForm, base64, eventStream, timing, warningsField } from './speech-output.ts';

/**
 * Those of the public speech API: one audio stream, cut into unnamed events. It counts tokens: here, characters go in and
 * events come out.
 */
export const publicEvents: AnswerForm = {
  contentType: eventStream,
  // Client packages throw its `error`.
  failure: (problem) => `data: ${JSON.stringify({ type: 'error', ...bodyOf(problem) })}\n\n`,
  open({ openEncoder, send, warnings, timestamps, characters: countCharacters }) {
    const event = (data: object): Promise<void> => send(Buffer.from(`data: ${JSON.stringify(data)}\n\n`));
    let sent = 0;
    const deltas = createByteSink((bytes) => {
      sent += 1;
      return event({ type: 'speech.audio.delta', audio: base64(bytes) });
    });
    return {
      ...through(openEncoder(), {
        ...deltas,
        finish() {
          const characters = countCharacters();
          const usage = { input_tokens: characters, output_tokens: sent, total_tokens: characters + sent };
          return event({ type: 'speech.audio.done', usage, ...warningsField(warnings()) });
        },
      }),
      ...timing(timestamps, (items) => event({ type: 'speech.audio.timestamps', items })),
    };
  },
};

/** Those of VoxCPM.cpp's server: each contains a complete audio file. */
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
