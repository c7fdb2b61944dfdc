import type { SpeechFields, SpeechStyle } from '../../context/speech-dialect.ts';
import { type ErrorStyle, fastApiErrors } from '../../http/problem.ts';
import type { Dialect } from '../dialect.ts';
import { speechOperations } from './speech.ts';
import { voicesOperation } from './voices.ts';

const errors: ErrorStyle = { ...fastApiErrors, busyStatus: 429 };

function hasOwnFields(body: SpeechFields): boolean {
  const own = [
    ...[body.prompt_wav_path, body.prompt_text, body.max_length, body.cfg_value, body.inference_timesteps],
    ...[body.control_instruction, body.reference_wav_path, body.voice_mode],
  ];
  return own.some((value) => value !== undefined);
}

/** Requests without a voice too: the public API requires one, at the same address. */
function speechStyle(body: SpeechFields): SpeechStyle | undefined {
  const isOwn = hasOwnFields(body);
  if (!isOwn && (body.voice ?? body.speaker ?? undefined) !== undefined) return;
  const contentTypes = { opus: 'audio/opus' };
  return { format: 'wav', pcmRate: 'model', contentTypes, errors: isOwn ? errors : undefined };
}

export const voxcpmane: Dialect = {
  errors,
  operations: (context, limitUploads) => [...speechOperations(context, limitUploads), voicesOperation(context)],
  speechStyle,
};
