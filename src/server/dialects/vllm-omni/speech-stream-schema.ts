/** Messages of the WebSocket `/v1/audio/speech/stream`, as in vLLM-Omni, with `input.flush` and `input.cancel` beside. */
import { z } from 'zod';
import { oneOf, text, truth } from '../../../validation.ts';
import type { WithUnknown } from '../../http/unknown-fields.ts';
import { liveBody } from '../../schemas/speech.ts';

const granularities = ['none', 'sentence', 'clause'] as const;

/** vLLM-Omni's models call a voice a speaker. */
export const withVoice = (message: unknown): unknown => {
  const { speaker, ...config } = Object(message) as { readonly speaker?: unknown; readonly voice?: unknown };
  return speaker === undefined ? config : { voice: speaker, ...config };
};

export const sessionConfig = liveBody.extend({
  stream_audio: truth.nullish(),
  word_timestamps: truth.nullish(),
  split_granularity: oneOf(granularities).nullish(),
});

export type SessionConfig = WithUnknown<Readonly<z.output<typeof sessionConfig>>>;

export const inputText = z.object({ text: text.default('') });
