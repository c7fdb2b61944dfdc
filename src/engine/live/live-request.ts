import { z } from 'zod';
import { oneOf, parse, requestError } from '../../validation.ts';
import type { AcceptedLive } from '../accepted.ts';
import type { ModelInfo } from '../backend.ts';
import { randomSeed } from '../noise.ts';
import { assertSupported, type RequestFields } from '../request.ts';
import type { CutText, LiveText } from './live-text.ts';

export interface LiveSpeech extends AcceptedLive {
  readonly text: LiveText | CutText;
}

/** Formats of which a beginning can be spoken. */
export const liveFormats = ['auto', 'plain', 'markdown', 'script'] as const;

const formatSchema = z.object({ inputFormat: oneOf(liveFormats) });

/** Accepts a request without its text. @throws SvcError INVALID_REQUEST */
export function acceptLive(fields: RequestFields, info: ModelInfo): AcceptedLive {
  assertSupported(fields, info);
  const { inputFormat: format } = parse(formatSchema, { inputFormat: fields.inputFormat });
  if (!fields.split) throw requestError('live text is always split; leave out split', 'split');
  const isScript = format === 'auto' && Object.keys(fields.voices ?? {}).length > 0;
  const inputFormat = isScript ? 'script' : format;
  return { ...fields, inputFormat, seed: fields.seed ?? randomSeed(), warnings: [] };
}
