/** Adds voices, as jobs of the queue. */
import { recordingWarnings } from '../../audio/analyze/prompt-check.ts';
import { measureRecording, type RecordingQuality } from '../../audio/analyze/recording-quality.ts';
import type { CatalogVoice } from '../../voices/voice-catalog.ts';
import type { AddVoiceOptions, VoiceRecording } from '../../voices/voice-service.ts';
import type { Client } from '../context/client.ts';
import type { ModelContext, ServerContext } from '../context/context.ts';
import { withJobOf } from '../jobs/jobs.ts';
import { type ModelChoice, withModelOf } from '../jobs/model-context.ts';
import { assertSpareDisk } from './spare-disk.ts';
import { canBeReference, type NamedRecording, requireText } from './voice-recordings.ts';

interface NewVoiceRequest {
  readonly choice: ModelChoice;
  readonly client: Client;
  readonly textField: string;
}

export interface CreatedVoice {
  readonly voice: CatalogVoice;
  readonly quality: ReturnType<typeof plainQuality>;
  /** Reasons why the voice may sound poor. */
  readonly warnings: readonly string[];
  readonly job: number;
}

/**
 * Adds a voice under a new name. Without a transcript, the recognizer supplies it, else VoxCPM 2 takes the timbre alone.
 *
 * @throws SvcError CONFLICT for a name that is taken; INVALID_REQUEST without a transcript that the model needs; of the queue
 */
export async function createVoice(
  context: ServerContext,
  recording: NamedRecording,
  { choice, client, textField }: NewVoiceRequest,
): Promise<CreatedVoice> {
  let created: CreatedVoice | undefined;
  await withModelOf(context, choice, client, (context) =>
    withJobOf(context, client, async ({ id: job, signal }) => {
      const { audio } = recording;
      const { mode = 'create', warnings: early = [], ...given } = recording;
      const text = given.text ?? (given.roles === undefined ? await context.recognize?.(audio, signal) : undefined);
      const isReference = canBeReference(context.engine.info);
      if (!isReference) requireText(text, textField);
      const roles = text === undefined ? (['reference'] as const) : isReference ? given.roles : undefined;
      const voice = await storeVoice(context, { ...given, text, roles }, { mode, signal });
      const warnings = [...early, ...aboutRecording(context, recording, voice)];
      if (warnings.length > 0) context.logger.warn({ voice: voice.id, warnings }, 'voice had warnings');
      created = { voice, quality: plainQuality(measureRecording(audio)), warnings, job };
    }),
  );
  return created as CreatedVoice;
}

export async function storeVoice(
  { voices, settings }: ModelContext,
  recording: VoiceRecording,
  options: AddVoiceOptions,
): Promise<CatalogVoice> {
  await assertSpareDisk(settings);
  return voices.add(recording, options);
}

/** Reasons why the voice may sound poor. */
const aboutRecording = (
  { engine: { info } }: ModelContext,
  { audio, denoise }: NamedRecording,
  { roles }: CatalogVoice,
): readonly string[] => recordingWarnings(audio, info, roles[0] ?? 'prompt', denoise ? undefined : 'denoise');

const rounded = (level: number | undefined): number | null => (level === undefined ? null : Number(level.toFixed(1)));

const plainQuality = ({ seconds, levelDb, noiseDb, snrDb, silent, clipped }: RecordingQuality): object => ({
  duration_seconds: Number(seconds.toFixed(3)),
  level_db: rounded(levelDb),
  noise_db: rounded(noiseDb),
  snr_db: rounded(snrDb),
  silent: Number(silent.toFixed(3)),
  clipped: Number(clipped.toFixed(6)),
});
