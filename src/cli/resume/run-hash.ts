import { createHash } from 'node:crypto';
import type { RequestFields } from '../../engine/request.ts';
import { hashModel } from '../../files/hash-files.ts';
import { bytesOf } from '../../float-arrays.ts';
import type { Io } from '../io.ts';
import type { ChosenLoras } from '../model/lora-choice.ts';
import type { SpeakOptions } from '../options/speak-options.ts';
import { type CommandVoices, voiceRevision } from '../options/voice-choice.ts';

/** Increase when the same book or text gives other audio. */
const version = 4;

export interface RunContent {
  /** The text or file that is spoken. */
  readonly input: string | Uint8Array;
  readonly modelPath: string | undefined;
  readonly fields: RequestFields;
  readonly loras: ChosenLoras;
  readonly voices: CommandVoices;
  /** Everything else that the audio depends on. */
  readonly settings: readonly unknown[];
}

/** A hash of everything that the audio of a run depends on, but for device and threads. SHA-256, hexadecimal. */
export async function hashRun(
  { voice }: Pick<SpeakOptions, 'voice'>,
  { input, modelPath, fields, loras, voices, settings }: RunContent,
  io: Io,
): Promise<string> {
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  // The speed is part of the settings where finished parts have it.
  const { promptAudio, referenceAudio, speed: _, ...rest } = fields;
  const parts = [
    version,
    await hashModel(await resolveModelPath(modelPath), io.signal),
    digest(input),
    Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)),
    [promptAudio, referenceAudio].map(hashAudio),
    voice === undefined ? null : [voice, await voiceRevision(voice, voices)],
    ...settings,
    ...(fields.lora === undefined ? [] : [await loras.revision(fields.lora)]),
  ];
  return digest(JSON.stringify(parts));
}

function hashAudio(audio: RequestFields['promptAudio']): string | null {
  if (audio === undefined) return null;
  const values = 'patches' in audio ? audio.patches : audio.samples;
  const rate = 'patches' in audio ? 0 : audio.sampleRate;
  return `${rate} ${digest(bytesOf(values))}`;
}

const digest = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
