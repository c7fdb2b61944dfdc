/** Finds the voice of a body: one of the server by its name, or recordings in the request or on the server. */
import type { Audio } from '../../audio/audio.ts';
import { needsModel2 } from '../../engine/request.ts';
import type { VoiceFields } from '../../engine/voice-fields.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { VoiceChoice } from '../../voices/voice-choice.ts';
import type { ModelContext } from '../context/context.ts';
import { withErrorParam } from '../http/with-error-param.ts';
import { readPath, readUpload } from '../recordings/recordings.ts';
import type { LiveBody } from '../schemas/speech.ts';

/** A voice of the server, or a recording in the request. */
export type ChosenVoice =
  | (VoiceChoice & {
      /** Continued in the timbre of the voice. */
      readonly prompt?: Required<Pick<VoiceFields, 'promptAudio' | 'promptText'>> | undefined;
    })
  | RecordedChoice;

export interface RecordedChoice {
  readonly kind: 'recording';
  /** Recording that the model continues; without a transcript, VoxCPM 2 takes its timbre alone. */
  readonly audio?: VoiceFields['promptAudio'];
  readonly text?: string | undefined;
  readonly reference?: VoiceFields['referenceAudio'];
}

interface FoundVoice {
  readonly voice: ChosenVoice;
  readonly warnings: readonly string[];
}

type Recordings = ReturnType<typeof recordingsOf>;

function recordingsOf(context: ModelContext, { denoise }: LiveBody) {
  const { signal } = context;
  const assertRoom = (): void => {
    if (context.hold() === undefined) context.queue.assertRoom();
  };
  return {
    upload(buffer: Buffer, field: string): Promise<Audio> {
      assertRoom();
      return readUpload({ buffer }, field, context.settings, { signal, denoise });
    },
    file(path: string, field: string): Promise<Audio> {
      assertRoom();
      return readPath(path, context.settings, { signal, denoise, field });
    },
  };
}

/** @throws SvcError INVALID_REQUEST for two voices */
export function nameOf({ voice, speaker }: Pick<LiveBody, 'voice' | 'speaker'>): string {
  const name = (typeof voice === 'string' ? voice : (voice?.id ?? '')).trim();
  const other = speaker?.trim() ?? '';
  if (name !== '' && other !== '' && name !== other) {
    throw requestError('voice and speaker cannot be combined: leave out one of them', 'speaker');
  }
  return name || other;
}

/**
 * A voice name takes precedence over a recording on the server, as in VoxCPMANE; a recording in the request over both, as
 * in vLLM-Omni, because clients of the public API must send a name.
 */
export async function voiceOfBody(context: ModelContext, body: LiveBody): Promise<FoundVoice> {
  const name = nameOf(body);
  const recordings = recordingsOf(context, body);
  if (body.ref_audio || body.prompt_audio) return voiceOfUploads(body, recordings);
  const path = body.prompt_wav_path?.trim() ?? '';
  const reference = body.reference_wav_path?.trim() ?? '';
  if (name === '' && (path !== '' || reference !== '')) return voiceOfFiles(body, path, reference, recordings);
  if (reference !== '') {
    throw requestError('voice and reference_wav_path cannot be combined: leave out one of them', 'reference_wav_path');
  }
  const choice = await withErrorParam('voice', () => context.voices.choose(name));
  if (body.voice_mode === 'reference_plus_prompt') return voiceWithPrompt(context, body, choice, path, recordings);
  const ignored = path === '' ? [] : ['voice takes precedence; prompt_wav_path is ignored'];
  const found = voiceInMode(context, body, choice);
  return { ...found, warnings: [...ignored, ...found.warnings] };
}

async function voiceOfUploads(body: LiveBody, { upload: read }: Recordings): Promise<FoundVoice> {
  const { prompt_wav_path, reference_wav_path, prompt_audio, ref_audio, prompt_text, ref_text } = body;
  const sent = prompt_audio ? 'prompt_audio' : 'ref_audio';
  const [other] =
    Object.entries({ prompt_wav_path, reference_wav_path }).find(([, given]) => (given?.trim() ?? '') !== '') ?? [];
  if (other !== undefined) throw requestError(`${sent} and ${other} cannot be combined`, sent);
  if (prompt_audio && !prompt_text?.trim()) {
    throw requestError('prompt_text is required with prompt_audio', 'prompt_text');
  }
  const reference = ref_audio ? await read(ref_audio, 'ref_audio') : undefined;
  const warnings = unusedMode(body, 'a recording');
  if (!prompt_audio) {
    const text = body.x_vector_only_mode ? undefined : (ref_text ?? undefined);
    return { voice: { kind: 'recording', audio: reference, text }, warnings };
  }
  const audio = await read(prompt_audio, 'prompt_audio');
  const unused = ref_text?.trim() && reference ? ['ref_text has no effect beside prompt_audio; it is ignored'] : [];
  const voice = { kind: 'recording', audio, text: prompt_text ?? undefined, reference } as const;
  return { voice, warnings: [...warnings, ...unused] };
}

async function voiceOfFiles(body: LiveBody, path: string, reference: string, { file }: Recordings) {
  const text = body.prompt_text ?? undefined;
  if (path !== '' && reference !== '' && !text?.trim()) {
    throw requestError('prompt_text is required with prompt_wav_path and reference_wav_path', 'prompt_text');
  }
  const referenceAudio = reference === '' ? undefined : await file(reference, 'reference_wav_path');
  const audio = path === '' ? undefined : await file(path, 'prompt_wav_path');
  const warnings = unusedMode(body, 'a recording');
  return { voice: { kind: 'recording', audio, text, reference: referenceAudio } as const, warnings };
}

const asReference = { roles: ['reference' as const], as: 'reference' as const };

async function voiceWithPrompt(
  { engine: { info } }: ModelContext,
  { prompt_text: text }: LiveBody,
  choice: VoiceChoice,
  path: string,
  { file }: Recordings,
): Promise<FoundVoice> {
  const mode = 'voice_mode "reference_plus_prompt"';
  if (path === '' || !text?.trim()) throw requestError(`${mode} needs prompt_wav_path and prompt_text`, 'voice_mode');
  if (choice.kind === 'own') throw requestError(`${mode} needs a voice with a recording`, 'voice_mode');
  if (choice.kind === 'named' && info.architecture !== 'voxcpm2') throw needsModel2(mode, info, 'voice_mode');
  const prompt = { promptAudio: await file(path, 'prompt_wav_path'), promptText: text.trim() };
  return { voice: { ...choice, ...(choice.kind === 'named' && asReference), prompt }, warnings: [] };
}

function voiceInMode({ engine: { info }, settings }: ModelContext, body: LiveBody, choice: VoiceChoice): FoundVoice {
  const { voice_mode: mode } = body;
  if (!mode) return { voice: choice, warnings: [] };
  if (choice.kind === 'own') return { voice: choice, warnings: unusedMode(body, 'the voice of the model itself') };
  if (mode === 'high_similarity') {
    const hasTranscript = choice.kind === 'named' && choice.roles.includes('prompt');
    if (hasTranscript) return { voice: choice, warnings: [] };
    const which = choice.kind === 'named' ? `voice ${quote(choice.id)}` : 'a mix of voices';
    throw requestError(`${which} has no transcript, which voice_mode "${mode}" needs`, 'voice_mode');
  }
  if (choice.kind === 'mixed') return { voice: choice, warnings: [] };
  if (info.architecture === 'voxcpm2') return { voice: { ...choice, ...asReference }, warnings: [] };
  const missing = needsModel2(`voice_mode "${mode}"`, info, 'voice_mode');
  if (settings.strictness === 'strict') throw missing;
  return { voice: choice, warnings: [`${missing.message}; it is ignored`] };
}

const unusedMode = ({ voice_mode: mode }: LiveBody, what: string): readonly string[] =>
  mode ? [`voice_mode has no effect on ${what}; it is ignored`] : [];
