/** Plans the parts of a text while it is being written. */
import { requestError } from '../../validation.ts';
import type { ModelInfo } from '../backend.ts';
import {
  carriesNothing,
  lengthLimit,
  type Piece,
  type PlannedPart,
  planPiece,
  readScript,
  type ScriptedRequest,
} from '../long-text/plan.ts';
import { detectFormat, type ScriptPiece } from '../script/parse-script.ts';
import type { CurrentVoice } from '../script/tags.ts';
import { findCut } from './find-cut.ts';
import type { LiveText } from './live-request.ts';
import { type ReadAhead, readAhead } from './read-ahead.ts';

export interface PlanLive {
  readonly text: LiveText;
  /** Everything but the text. */
  readonly request: ScriptedRequest;
  readonly info: ModelInfo;
  readonly signal: AbortSignal;
  /** Called with each piece of the text before its parts are yielded, and what its script is warned of. */
  readonly onPiece: (text: string, warnings: readonly string[]) => void;
  /** As in `StreamOptions`. */
  readonly whileWaiting?: ((piece: Promise<unknown>) => Promise<void>) | undefined;
}

/** Pieces without words, such as code, after which clauses are no longer looked for. */
const mostBeginnings = 8;

interface TextPiece {
  readonly text: string;
  readonly ends: ScriptPiece['ends'];
}

/**
 * Yields each part as soon as its text is there. Only a part after which the text has ended `isLast`, so there may be none.
 * The text is read from the first pull on, ahead of the parts, and ended with the generator.
 *
 * @throws what the text throws; SvcError CANCELLED, INVALID_REQUEST for a text that is not of strings
 */
export async function* planLive({
  text,
  request,
  info,
  signal,
  onPiece,
  whileWaiting,
}: PlanLive): AsyncGenerator<PlannedPart, void, undefined> {
  const reader = readAhead(text, signal);
  const current: CurrentVoice = { name: undefined };
  const carried = carriesNothing();
  let index = 0;
  try {
    for (let count = 0; ; count += 1) {
      const isBeginning = request.firstClause && index === 0 && count < mostBeginnings;
      const next = nextPiece(reader, request, info, isBeginning ? 'clause' : 'sentence');
      // It may reject after `whileWaiting` has.
      next.catch(() => undefined);
      await whileWaiting?.(next);
      const found = await next;
      if (found === undefined) return;
      const { ends } = found;
      const own = { ...request, text: found.text.trim() };
      if (own.text === '') continue;
      if (index === 0 && detectFormat(own.text, []) === 'ssml') {
        throw requestError('live text cannot be SSML; write plain text, Markdown or a script', 'text');
      }
      const { request: scripted, warnings } = readScript(own, { current, ends });
      onPiece(found.text, warnings);
      let last: Piece | undefined;
      for (const piece of planPiece(scripted, info, { ends }, carried)) {
        if (last !== undefined) yield { ...last, index: index++, isLast: false };
        last = piece;
      }
      if (last !== undefined) yield { ...last, index: index++, isLast: ends === 'text' };
    }
  } finally {
    reader.close();
  }
}

/** Waits for the next piece that can be spoken; undefined at the end. */
async function nextPiece(
  reader: ReadAhead,
  { inputFormat }: ScriptedRequest,
  info: ModelInfo,
  least: 'clause' | 'sentence',
): Promise<TextPiece | undefined> {
  const markup = inputFormat === 'markdown' ? 'markdown' : 'none';
  const maxCharacters = lengthLimit(info);
  for (;;) {
    await reader.settle();
    const text = reader.head();
    const cut = findCut({ text, state: reader.state(), markup, least, maxCharacters });
    if (cut !== undefined) {
      reader.take(cut.length, cut.reopen);
      return { text: text.slice(0, cut.length), ends: reader.isOver() ? 'text' : cut.ends };
    }
    if (reader.isOver()) return undefined;
    await reader.change();
  }
}
