/** Requests to speak a text while it is being written. */

import { z } from 'zod';
import { oneOf, parse, requestError } from '../../validation.ts';
import type { AcceptedFields } from '../accepted.ts';
import type { ModelInfo } from '../backend.ts';
import { randomSeed } from '../noise.ts';
import { assertSupported, type RequestFields } from '../request.ts';
import type { LiveSegment } from './cut-live.ts';

/** Pieces of any size, such as tokens. An empty one flushes: all text before it is spoken now. */
export type LiveText = AsyncIterable<string>;

/** Text that `cutLive` has cut already, such as on another machine. */
export interface CutText {
  readonly segments: AsyncIterable<LiveSegment>;
}

/** An accepted request whose text is still being written, and not part of it. */
export interface AcceptedLive extends AcceptedFields {
  readonly warnings: readonly string[];
}

/** An accepted request with the text that is being written. */
export interface LiveSpeech extends AcceptedLive {
  readonly text: LiveText | CutText;
}

export const isCut = (text: LiveText | CutText): text is CutText => 'segments' in text;

/** Formats of which a beginning can be spoken. */
export const liveFormats = ['auto', 'plain', 'markdown', 'script'] as const;

const formatSchema = z.object({ inputFormat: oneOf(liveFormats) });

/**
 * Accepts a request without its text.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function acceptLive(fields: RequestFields, info: ModelInfo): AcceptedLive {
  assertSupported(fields, info);
  const { inputFormat: format } = parse(formatSchema, { inputFormat: fields.inputFormat });
  if (!fields.split) throw requestError('live text is always split; leave out split', 'split');
  const isScript = format === 'auto' && Object.keys(fields.voices ?? {}).length > 0;
  const inputFormat = isScript ? 'script' : format;
  return { ...fields, inputFormat, seed: fields.seed ?? randomSeed(), warnings: [] };
}
