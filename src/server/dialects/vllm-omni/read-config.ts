import { show } from '../../../messages.ts';
import { requestError } from '../../../validation.ts';
import { parseKnown } from '../../http/unknown-fields.ts';
import { type SessionConfig, sessionConfig } from './speech-stream-schema.ts';
import type { Fields } from './speech-units.ts';

/** @throws SvcError INVALID_REQUEST for fields that contradict each other */
export function readConfig(message: Fields): SessionConfig {
  const config = inMode(parseKnown(sessionConfig, message, { others: ['type'] }));
  if (config.stream_audio && config.response_format !== 'pcm') {
    throw requestError(
      `stream_audio needs the response_format "pcm", got ${show(config.response_format ?? 'wav')}`,
      'stream_audio',
    );
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
    throw requestError(
      'streaming_mode "token_level" and split_granularity cannot be combined: its speech is one unit',
      'split_granularity',
    );
  }
  const { response_format = 'pcm' } = config;
  return { ...config, response_format, stream_audio: true, split_granularity: 'clause' };
}
