/** Plans the parts of a text while it is being written. */
import { requestError } from '../../validation.ts';
import type { ModelInfo } from '../backend.ts';
import {
  carriesNothing,
  droppedStyles,
  type Piece,
  type PlannedPart,
  planPiece,
  readScript,
  type ScriptedRequest,
} from '../long-text/plan.ts';
import { looksLikeMarkdown } from '../script/looks-like-markdown.ts';
import type { CurrentList } from '../script/markdown.ts';
import { detectFormat } from '../script/parse-script.ts';
import type { CurrentVoice } from '../script/tags.ts';
import type { TextPiece } from './cut-live.ts';

export interface PlanLive {
  readonly pieces: AsyncIterable<TextPiece>;
  /** Everything but the text. */
  readonly request: ScriptedRequest;
  readonly info: ModelInfo;
  /** Called with each piece of the text before its parts are yielded, and what its script is warned of. */
  readonly onPiece: (text: string, warnings: readonly string[]) => void;
}

/**
 * Yields each part as soon as its text is there. Only a part after which the text has ended `isLast`, so there may be none.
 *
 * @throws what the pieces throw; SvcError INVALID_REQUEST
 */
export async function* planLive({
  pieces,
  request,
  info,
  onPiece,
}: PlanLive): AsyncGenerator<PlannedPart, void, undefined> {
  const current: CurrentVoice = { name: undefined };
  const carried = carriesNothing();
  const list: CurrentList = { number: undefined };
  let index = 0;
  let isMarkdown = request.inputFormat === 'markdown';
  let isInParagraph = false;
  for await (const { text, ends } of pieces) {
    const own = { ...request, text: text.trim() };
    if (own.text === '') continue;
    // The first piece with the structure of Markdown decides for the rest.
    if (request.inputFormat === 'auto') isMarkdown ||= looksLikeMarkdown(own.text);
    if (!isInParagraph && !/^\s*(?:\d{1,9}[.)]\s|[ \t])/.test(text.replace(/^\s*\n/, ''))) list.number = undefined;
    isInParagraph = ends === 'in paragraph';
    if (index === 0 && detectFormat(own.text, []) === 'ssml') {
      throw requestError('live text cannot be SSML; write plain text, Markdown or a script', 'text');
    }
    const { request: scripted, warnings } = readScript(
      request.inputFormat === 'auto' ? { ...own, inputFormat: isMarkdown ? 'markdown' : 'plain' } : own,
      { current, list, ends, indented: request.inputFormat === 'auto' ? 'text' : 'code' },
    );
    onPiece(text, [...warnings, ...droppedStyles(scripted, info, carried)]);
    let last: Piece | undefined;
    for (const piece of planPiece(scripted, info, { ends }, carried)) {
      if (last !== undefined) yield { ...last, index: index++, isLast: false };
      last = piece;
    }
    if (last !== undefined) yield { ...last, index: index++, isLast: ends === 'text' };
  }
}
