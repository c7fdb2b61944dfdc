/** Reads what clients send to add a voice: its recording, name, transcript and pronunciations. */
import type { Request } from 'express';
import type { ModelInfo } from '../../engine/backend.ts';
import { entriesOf } from '../../engine/lexicon/lexicon.ts';
import { parseLexicon } from '../../engine/lexicon/parse-lexicon.ts';
import { requestError } from '../../validation.ts';
import { parseNewVoiceId } from '../../voices/voice-id.ts';
import type { AddVoiceOptions, VoiceRecording } from '../../voices/voice-service.ts';
import type { ServerContext } from '../context/context.ts';
import { parseKnown, warnOfUnknown } from '../http/unknown-fields.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { pathVoiceBody, uploadFields } from '../schemas/voices.ts';
import { readPath, readUpload } from './recordings.ts';

export interface NamedRecording extends VoiceRecording {
  readonly denoise?: boolean | null | undefined;
  /** About its lexicon and unknown fields. */
  readonly warnings?: readonly string[];
  readonly mode?: AddVoiceOptions['mode'];
}

const replacing = { mode: 'replace' } as const;

export const lexiconOf = (text: string | undefined): Promise<Pick<NamedRecording, 'lexicon' | 'warnings'>> =>
  withErrorParam('lexicon', () => {
    if (text === undefined) return {};
    const { entries, warnings } = parseLexicon(text, 'lexicon');
    return { lexicon: entries, warnings };
  });

type ReadRecording = (context: ServerContext, request: Request, signal: AbortSignal) => Promise<NamedRecording>;

export const recordingOfUpload: ReadRecording = async (context, request, signal) => {
  const { text, ...fields } = parseKnown(uploadFields, request.body ?? {});
  const { lexicon, denoise, replace } = fields;
  const language = fields.language ?? undefined;
  const id = fields.id ?? fields.name;
  if (id === undefined) throw requestError('id is required', 'id');
  const unknown = warnOfUnknown(fields.unknownFields, context.settings);
  const transcript = sentTranscript(context, fields, ['text', text]);
  const newId = await withErrorParam('id', () => parseNewVoiceId(id));
  const words = await lexiconOf(lexicon);
  const audio = await readUpload(request.file, 'audio', context.settings, { signal, denoise });
  const warnings = [...unknown, ...(words.warnings ?? [])];
  return { id: newId, text: transcript, audio, denoise, language, ...words, warnings, ...(replace && replacing) };
};

export const recordingOfPath: ReadRecording = async (context, request, signal) => {
  const { prompt_text, ...fields } = parseKnown(pathVoiceBody, request.body ?? {});
  const { voice_name, prompt_wav_path, reference_wav_path, lexicon, denoise, replace } = fields;
  const warnings = warnOfUnknown(fields.unknownFields, context.settings);
  const reference = reference_wav_path?.trim() ?? '';
  const path = prompt_wav_path?.trim() ?? '';
  if (reference === '' && typeof prompt_wav_path !== 'string') {
    throw requestError('prompt_wav_path is required', 'prompt_wav_path');
  }
  if (reference !== '' && path !== '') {
    throw requestError('prompt_wav_path and reference_wav_path cannot be combined', 'reference_wav_path');
  }
  // A reference needs no transcript, and no recognizer.
  const text = reference === '' ? sentTranscript(context, fields, ['prompt_text', prompt_text]) : prompt_text?.trim();
  const field = reference === '' ? 'prompt_wav_path' : 'reference_wav_path';
  return {
    id: await withErrorParam('voice_name', () => parseNewVoiceId(voice_name)),
    text: text || undefined,
    audio: await readPath(reference || path, context.settings, { signal, denoise, field }),
    denoise,
    lexicon: entriesOf(lexicon),
    language: fields.language ?? undefined,
    warnings,
    ...(replace && replacing),
    ...(reference !== '' && { roles: text ? (['prompt', 'reference'] as const) : (['reference'] as const) }),
  };
};

export const canBeReference = ({ architecture }: ModelInfo): boolean => architecture === 'voxcpm2';

/** Undefined if the recognizer has to supply the transcript, or the model needs none. */
function sentTranscript(
  { recognize, models }: ServerContext,
  body: { readonly model?: string | null | undefined },
  [field, text]: readonly [field: string, text: string | undefined],
): string | undefined {
  const isSent = (text ?? '').trim() !== '';
  if (isSent) return text;
  const name = models.resolve(body.model);
  const info = models.list().find((status) => status.name === name)?.info;
  // A model that was never loaded is asked later.
  if (recognize === undefined && info !== undefined && !canBeReference(info)) requireText(text, field);
  return undefined;
}

export function requireText(text: string | undefined, field: string): void {
  const remedy = 'give the transcript of the recording, or start svc with --check-with, which transcribes it';
  if (text === undefined) throw requestError(`${field} is required: ${remedy}`, field);
  if (text.trim() === '') throw requestError(`${field} must not be empty: ${remedy}`, field);
}
