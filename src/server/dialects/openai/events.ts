/** Audio as server-sent events of the public speech API. */
import { createByteSink, through } from '../../../audio/encode/sink.ts';
import type { Encoder } from '../../../audio/transform.ts';
import { bodyOf, type Problem } from '../../http/problem.ts';
import { base64, type EventOptions, type SpeechOutput, timing, warningsField } from '../../speech/speech-output.ts';

/** Last event of failed speech; client packages of the public API throw its `error`. */
export const publicFailure = (problem: Problem): string =>
  `data: ${JSON.stringify({ type: 'error', ...bodyOf(problem) })}\n\n`;

/**
 * Events of the public speech API: one audio stream, cut into unnamed events. The API counts usage in tokens; here input
 * is counted in characters and output in events.
 */
export function publicEvents(
  encoder: Promise<Encoder>,
  { send, warnings, timestamps }: EventOptions,
  countCharacters: () => number,
): SpeechOutput {
  const event = (data: object): Promise<void> => send(Buffer.from(`data: ${JSON.stringify(data)}\n\n`));
  let sent = 0;
  const deltas = createByteSink((bytes) => {
    sent += 1;
    return event({ type: 'speech.audio.delta', audio: base64(bytes) });
  });
  return {
    ...through(encoder, {
      ...deltas,
      finish() {
        const characters = countCharacters();
        const usage = { input_tokens: characters, output_tokens: sent, total_tokens: characters + sent };
        return event({ type: 'speech.audio.done', usage, ...warningsField(warnings()) });
      },
    }),
    ...timing(timestamps, (items) => event({ type: 'speech.audio.timestamps', items })),
  };
}
