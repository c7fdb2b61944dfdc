/** Messages of the WebSocket `/v1/audio/speech/stream`, as in vLLM-Omni, with `input.flush` and `input.cancel` beside. */
import { z } from 'zod';
import { oneOf, text, truth } from '../../../validation.ts';
import type { WithUnknown } from '../../http/unknown-fields.ts';
import { liveBody } from '../../schemas/speech.ts';

const granularities = ['none', 'sentence', 'clause'] as const;

/** `token_level`: samples of one unit, which begins while its text is still being written. */
const streamingModes = ['sentence', 'token_level'] as const;

export const sessionConfig = liveBody.extend({
  stream_audio: truth.nullish(),
  word_timestamps: truth.nullish(),
  split_granularity: oneOf(granularities).nullish(),
  streaming_mode: oneOf(streamingModes).nullish(),
});

export type SessionConfig = WithUnknown<Readonly<z.output<typeof sessionConfig>>>;

export const inputText = z.object({ text: text.default('') });
