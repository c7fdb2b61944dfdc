/** Turns of a dialogue as JSON: `[{"voice": "anna", "text": "Hello.", "pause": 0.5}, …]`. */
import { z } from 'zod';
import { attempt } from '../../errors.ts';
import { numberIn, oneOf, parse, requestError, text } from '../../validation.ts';
import { turnFormats } from './input-formats.ts';
import { longestPause } from './passage.ts';

const mostTurns = 1000;

/** Completes `FIELD must be …`. */
export const spokenText = text.regex(/\S/, { error: 'a string with at least one visible character' });

/** Silence after a turn, in seconds. */
export const turnPause = numberIn({ kind: 'number', minimum: 0, maximum: longestPause });

/** Completes `FIELD must be …`. */
export const describeTurn = 'an object with a text, such as {"voice": "anna", "text": "Hello."}';

const turn = z.strictObject(
  {
    text: spokenText,
    /** A voice of the request, by its name; the voice of the request itself if omitted, empty or `default`. */
    voice: text.nullish(),
    pause: turnPause.nullish(),
    format: oneOf(turnFormats).nullish(),
  },
  { error: describeTurn },
);

export type Turn = Readonly<z.output<typeof turn>>;

export const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(schema, { error: 'an array of turns' })
    .min(1, { error: 'an array with at least one turn' })
    .max(mostTurns, { error: `an array of at most ${mostTurns} turns` });

const document = z.object({ turns: listOf(turn) });

/** @throws SvcError INVALID_REQUEST with a `param` that begins with `turns` */
export function parseTurns(json: string): readonly Turn[] {
  const turns = attempt((): unknown => JSON.parse(json));
  if (turns === undefined)
    throw requestError('turns must be a JSON array, such as [{"voice": "anna", "text": "Hello."}]', 'turns');
  return parse(document, { turns }, 'the script').turns;
}
