import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ResolvedRequest } from '../../engine/request.ts';
import { bytesOf } from '../../float-bytes.ts';
import { hashModel } from '../batch/record-hash.ts';
import type { Io } from '../io.ts';
import type { ChosenLoras } from '../model/lora-choice.ts';
import { voiceRevision } from '../options/voice-choice.ts';
import type { BookOptions } from './book-options.ts';
import type { BookOutput } from './book-output.ts';

/** Increase when the same book gives other audio. */
const version = 2;

/** A hash of everything that the audio of a book depends on, but for device and threads. SHA-256, hexadecimal. */
export async function hashBook(
  options: BookOptions,
  {
    modelPath,
    output,
    fields,
    loras,
  }: {
    readonly modelPath: string | undefined;
    readonly output: BookOutput;
    readonly fields: ResolvedRequest;
    readonly loras: ChosenLoras;
  },
  io: Io,
): Promise<string> {
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  const { promptAudio, referenceAudio, ...rest } = fields;
  const { voice, speed = 1, captions, cover } = options;
  const parts = [
    version,
    await hashModel(await resolveModelPath(modelPath), io.signal),
    digest(await readFile(options.textFile)),
    Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)),
    [promptAudio, referenceAudio].map(hashAudio),
    voice === undefined ? null : [voice, await voiceRevision(voice, options, io)],
    [speed, captions !== undefined],
    [output.kind, output.format, cover ?? null],
    ...(fields.lora === undefined ? [] : [await loras.revision(fields.lora)]),
  ];
  return digest(JSON.stringify(parts));
}

function hashAudio(audio: ResolvedRequest['promptAudio']): string | null {
  if (audio === undefined) return null;
  const values = 'patches' in audio ? audio.patches : audio.samples;
  const rate = 'patches' in audio ? 0 : audio.sampleRate;
  return `${rate} ${digest(bytesOf(values))}`;
}

const digest = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
