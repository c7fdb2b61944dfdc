/** Requests to speak a text while it is being written. */

import { z } from 'zod';
import { oneOf, parse, requestError } from '../../validation.ts';
import type { ModelInfo } from '../backend.ts';
import { withFixedVoice } from '../fixed-voice.ts';
import type { SeededRequest } from '../long-text/speak-part.ts';
import { randomSeed } from '../noise.ts';
import { assertSupported, parseRequest, type SynthesisRequest } from '../request.ts';

/** Pieces of any size, such as tokens. An empty one flushes: all text before it is spoken now. */
export type LiveText = AsyncIterable<string>;

/** A request whose text is still being written. */
export type Live<Request extends { readonly text: string }> = Omit<Request, 'text'> & { readonly text: LiveText };

export type LiveRequest = Live<SynthesisRequest>;

export type StreamRequest = SynthesisRequest | LiveRequest;

export function isLive<Request extends SynthesisRequest>(request: Request | Live<Request>): request is Live<Request> {
  const { text } = Object(request) as { readonly text?: unknown };
  return typeof text === 'object' && text !== null && Symbol.asyncIterator in text;
}

/** Formats of which a beginning can be spoken. */
export const liveFormats = ['auto', 'plain', 'markdown', 'script'] as const;

const formatSchema = z.object({ inputFormat: oneOf(liveFormats).default('auto') });

export interface ResolvedLive {
  /** Without its text. */
  readonly request: SeededRequest;
  readonly text: LiveText;
  readonly warnings: readonly string[];
}

/**
 * Validates all of a request but its text, fills in defaults and the seed, and removes fields that the model ignores, with a
 * warning.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function resolveLive({ text, ...input }: LiveRequest, info: ModelInfo): ResolvedLive {
  const { request, warnings } = withFixedVoice(parseRequest({ ...input, text: 'text' }), info);
  assertSupported(request, info);
  const { inputFormat: format } = parse(formatSchema, request);
  if (!request.split) throw requestError('live text is always split; leave out split', 'split');
  const isScript = format === 'auto' && Object.keys(request.voices ?? {}).length > 0;
  const inputFormat = format !== 'auto' ? format : isScript ? 'script' : 'plain';
  const seed = request.seed ?? randomSeed();
  return { request: { ...request, inputFormat, seed, text: '', passages: [] }, text, warnings };
}
