import { inTurns } from '../../event-loop.ts';
import { requestError } from '../../validation.ts';
import { type AcceptedLive, droppedStyles, emptyLiveTextState, extractStyles, pronounceSteps } from '../accepted.ts';
import type { ModelInfo } from '../backend.ts';
import { type PlannedPart, type PlannedSegment, planSegment } from '../plan/plan.ts';
import { looksLikeMarkdown } from '../script/looks-like-markdown.ts';
import type { CurrentList } from '../script/markdown.ts';
import { detectFormat, parseScript } from '../script/parse-script.ts';
import type { CurrentVoice } from '../script/tags.ts';
import type { LiveSegment } from './live-text.ts';

export interface PlanLive {
  readonly segments: AsyncIterable<LiveSegment>;
  readonly accepted: AcceptedLive;
  readonly info: ModelInfo;
  /** Called with each segment of the text before its parts are yielded, and what its script is warned of. */
  readonly onSegment: (text: string, warnings: readonly string[]) => Promise<void>;
}

/**
 * Yields each part as soon as its text is there. Only a part after which the text has ended `isLast`, so there may be none.
 *
 * @throws what the segments throw; SvcError INVALID_REQUEST
 */
export async function* planLive(live: PlanLive): AsyncGenerator<PlannedPart, void, undefined> {
  const { segments, accepted, info, onSegment } = live;
  const { inputFormat, readCode, voices = {} } = accepted;
  const isAuto = inputFormat === 'auto';
  const reading = { voices: Object.keys(voices), code: readCode ? 'read' : 'skip' } as const;
  const current: CurrentVoice = { name: undefined };
  const list: CurrentList = { number: undefined };
  const state = emptyLiveTextState();
  let index = 0;
  let isMarkdown = inputFormat === 'markdown';
  let isInParagraph = false;
  for await (const { text: written, ends } of segments) {
    const text = written.trim();
    if (text === '') continue;
    // The first segment with the structure of Markdown decides for the rest.
    if (isAuto) isMarkdown ||= looksLikeMarkdown(text);
    if (!isInParagraph && !/^\s*(?:\d{1,9}[.)]\s|[ \t])/.test(written.replace(/^\s*\n/, ''))) list.number = undefined;
    isInParagraph = ends === 'in paragraph';
    if (index === 0 && detectFormat(text, []) === 'ssml')
      throw requestError('live text cannot be SSML; write plain text, Markdown or a script', 'text');
    const { passages, warnings } = parseScript(text, {
      ...reading,
      format: isAuto ? (isMarkdown ? 'markdown' : 'plain') : inputFormat,
      live: { current, list, ends, indented: isAuto ? 'text' : 'code' },
    });
    const styled = extractStyles(passages, accepted, info, state);
    const spoken = await inTurns(pronounceSteps(styled, accepted, text.length));
    await onSegment(written, [...warnings, ...droppedStyles(styled, accepted)]);
    let last: PlannedSegment | undefined;
    for await (const segment of planSegment(spoken, accepted, info, { ends }, state)) {
      if (last !== undefined) yield { ...last, index: index++, isLast: false };
      last = segment;
    }
    if (last !== undefined) yield { ...last, index: index++, isLast: ends === 'text' };
  }
}
