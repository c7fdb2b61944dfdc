/** Requests to speak a text while it is being written. */

import { z } from 'zod';
import { oneOf, parse, requestError } from '../../validation.ts';
import type { ModelInfo } from '../backend.ts';
import type { SeededRequest } from '../long-text/speak-part.ts';
import { randomSeed } from '../noise.ts';
import { assertSupported, parseRequest, type SynthesisRequest } from '../request.ts';
import type { TextPiece } from './cut-live.ts';

/** Pieces of any size, such as tokens. An empty one flushes: all text before it is spoken now. */
export type LiveText = AsyncIterable<string>;

/** Text that `cutLive` has cut already, such as on another machine. */
export interface CutText {
  readonly pieces: AsyncIterable<TextPiece>;
}

/** A request whose text is still being written. */
export type Live<Request extends { readonly text: string }, Text = LiveText> = Omit<Request, 'text'> & {
  readonly text: Text;
};

export type LiveRequest = Live<SynthesisRequest, LiveText | CutText>;

export type StreamRequest = SynthesisRequest | LiveRequest;

export function isLive<Request extends SynthesisRequest>(
  request: Request | Live<Request, LiveText | CutText>,
): request is Live<Request, LiveText | CutText> {
  const { text } = Object(request) as { readonly text?: unknown };
  return typeof text === 'object' && text !== null && (Symbol.asyncIterator in text || isCut(text));
}

export const isCut = (text: object): text is CutText => 'pieces' in text;

/** Formats of which a beginning can be spoken. */
export const liveFormats = ['auto', 'plain', 'markdown', 'script'] as const;

const formatSchema = z.object({ inputFormat: oneOf(liveFormats).default('auto') });

export interface ResolvedLive<Text> {
  /** Without its text. */
  readonly request: SeededRequest;
  readonly text: Text;
}

/**
 * Validates all of a request but its text, and fills in defaults and the seed.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function resolveLive<Text>(
  { text, ...input }: Live<SynthesisRequest, Text>,
  info: ModelInfo,
): ResolvedLive<Text> {
  const request = parseRequest({ ...input, text: 'text' });
  assertSupported(request, info);
  const { inputFormat: format } = parse(formatSchema, request);
  if (!request.split) throw requestError('live text is always split; leave out split', 'split');
  const isScript = format === 'auto' && Object.keys(request.voices ?? {}).length > 0;
  const inputFormat = isScript ? 'script' : format;
  const seed = request.seed ?? randomSeed();
  return { request: { ...request, inputFormat, seed, text: '', passages: [] }, text };
}
