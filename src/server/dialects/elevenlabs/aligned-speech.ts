/** Speech in JSON with the times of its characters. */
import type { TimedSentence } from '../../../engine/timing/timed-text.ts';
import { jsonLines, jsonObject } from '../../speech/speech-json.ts';
import { createAlignments } from './alignment.ts';

function beginAlignments(): (sentences: readonly TimedSentence[]) => object {
  const align = createAlignments();
  return (sentences) => {
    const alignment = align(sentences);
    return { alignment, normalized_alignment: alignment };
  };
}

export const alignedObject = jsonObject({ audio: 'audio_base64', last: (sentences) => beginAlignments()(sentences) });

export const alignedLines = jsonLines(() => {
  const alignmentOf = beginAlignments();
  return (audio, sentences) => ({ audio_base64: audio, ...alignmentOf(sentences) });
});
