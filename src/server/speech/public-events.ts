/** Audio as server-sent events of the public speech API. */
import { createByteSink, through } from '../../audio/encode/sink.ts';
import { bodyOf } from '../http/problem.ts';
import { type AnswerForm, base64, eventStream, timing, warningsField } from './speech-output.ts';

/** One audio stream, cut into unnamed events. The API counts tokens: here, characters go in and events come out. */
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
