/** Cuts a text that is still being written into segments that can be spoken. */
import type { ModelInfo } from '../backend.ts';
import { lengthLimit } from '../plan/plan.ts';
import type { RequestFields } from '../request.ts';
import { createHiddenText } from '../script/hidden-text.ts';
import { isSpeakable } from '../text/clean.ts';
import { findCut } from './find-cut.ts';
import type { LiveSegment, LiveText } from './live-text.ts';
import { ReadAhead } from './read-ahead.ts';

/** Segments without words after which clauses are no longer looked for. */
const mostBeginnings = 8;

export interface CutLive {
  readonly text: LiveText;
  readonly request: Pick<RequestFields, 'firstClause' | 'inputFormat'>;
  readonly info: ModelInfo;
  readonly signal: AbortSignal;
  /** As in `StreamOptions`. */
  readonly whileWaiting?: ((segment: Promise<unknown>) => Promise<void>) | undefined;
}

/**
 * Yields each segment as soon as it is there; all sentences that are, if there are several. The text is read from the first
 * pull on, ahead of the segments, and ended with the generator.
 *
 * @throws what the text throws; SvcError CANCELLED, INVALID_REQUEST for a text that is not of strings
 */
export async function* cutLive(live: CutLive): AsyncGenerator<LiveSegment, void, undefined> {
  const { text, request, info, signal, whileWaiting } = live;
  const reader = new ReadAhead(shownOf(text), signal);
  let isBeginning = request.firstClause;
  try {
    for (let count = 1; ; count += 1) {
      const next = nextSegment(reader, request, info, isBeginning ? 'clause' : 'sentence');
      // It may reject after `whileWaiting` has.
      next.catch(() => undefined);
      await whileWaiting?.(next);
      const segment = await next;
      if (segment === undefined) return;
      if (isSpeakable(segment.text) || count === mostBeginnings) isBeginning = false;
      yield segment;
    }
  } finally {
    reader.close();
  }
}

/** Without what is not to be spoken, such as reasoning. A flush stays. */
function shownOf(text: LiveText): LiveText {
  const hidden = createHiddenText();
  const iterator = text[Symbol.asyncIterator]();
  let isOver = false;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (isOver) return { done: true, value: undefined };
        for (;;) {
          const result = await iterator.next();
          isOver = result.done === true;
          if (typeof result.value === 'string' && result.value !== '') {
            const shown = hidden.push(result.value);
            if (shown !== '') return { done: false, value: shown };
            continue;
          }
          const rest = isOver ? hidden.end() : '';
          return rest === '' ? result : { done: false, value: rest };
        }
      },
      async return() {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Waits for the next segment that can be spoken; undefined at the end. */
async function nextSegment(
  reader: ReadAhead,
  { inputFormat }: Pick<RequestFields, 'inputFormat'>,
  info: ModelInfo,
  least: 'clause' | 'sentence',
): Promise<LiveSegment | undefined> {
  const markup = inputFormat === 'markdown' || inputFormat === 'auto' ? 'markdown' : 'none';
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
