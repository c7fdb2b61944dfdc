/** Messages of the WebSocket `/v1/audio/speech/stream`, as in vLLM-Omni, with `input.flush` and `input.cancel` beside. */
import { z } from 'zod';
import { show } from '../../../messages.ts';
import { oneOf, requestError, text, truth } from '../../../validation.ts';
import { parseKnown, type WithUnknown } from '../../http/unknown-fields.ts';
import { liveBody } from '../../schemas/speech.ts';

const sessionConfig = liveBody.extend({
  stream_audio: truth.nullish(),
  word_timestamps: truth.nullish(),
  split_granularity: oneOf(['none', 'sentence', 'clause']).nullish(),
  /** `token_level`: samples of one unit, which begins while its text is still being written. */
  streaming_mode: oneOf(['sentence', 'token_level']).nullish(),
});

export type SessionConfig = WithUnknown<Readonly<z.output<typeof sessionConfig>>>;

export const inputText = z.object({ text: text.default('') });

export function readConfig(message: object): SessionConfig {
  const config = inMode(parseKnown(sessionConfig, message, { others: ['type'] }));
  if (config.stream_audio && config.response_format !== 'pcm') {
    const given = show(config.response_format ?? 'wav');
    throw requestError(`stream_audio needs the response_format "pcm", got ${given}`, 'stream_audio');
  }
  if (config.word_timestamps && !config.stream_audio) {
    throw requestError('word_timestamps need stream_audio and the response_format "pcm"', 'word_timestamps');
  }
  return config;
}

/** `token_level` implies samples, and units of any text. @throws SvcError INVALID_REQUEST */
function inMode(config: SessionConfig): SessionConfig {
  if (config.streaming_mode !== 'token_level') return config;
  if (config.stream_audio === false) {
    throw requestError('streaming_mode "token_level" streams audio: stream_audio must be true', 'stream_audio');
  }
  if (config.split_granularity) {
    const problem = 'streaming_mode "token_level" and split_granularity cannot be combined';
    throw requestError(`${problem}: its speech is one unit`, 'split_granularity');
  }
  const { response_format = 'pcm' } = config;
  return { ...config, response_format, stream_audio: true, split_granularity: 'clause' };
}
