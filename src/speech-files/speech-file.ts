/** A file of speech with its captions, in a folder or in a bucket. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { audioFormats } from '../audio/encode/format.ts';
import type { Accepted } from '../engine/accepted.ts';
import type { SpeechSummary } from '../engine/speech.ts';
import type { SpeakOptions, SpeechSource } from '../engine/speech-source.ts';
import { noteTemporary } from '../files/temporary-files.ts';
import { writeCaptions } from './captions-file.ts';
import { isObjectUrl, type ObjectStore } from './object-store.ts';
import { type AudioFile, speakToFile } from './speak-to-sink.ts';

/** Paths, or addresses such as `s3://bucket/hello.wav`. */
export interface SpeechFile extends AudioFile {
  /** Path of the captions; its extension names their format. */
  readonly captions?: string | undefined;
  readonly captionWords?: boolean | undefined;
}

export interface SpokenFile extends Omit<SpeechSummary, 'sentences'> {
  /** Size of the audio. */
  readonly bytes: number;
}

export interface SpeechFileOptions extends Pick<SpeakOptions, 'partsAtOnce'> {
  readonly signal: AbortSignal;
  readonly objects: ObjectStore;
}

/** Speaks into a file that appears when it is complete. @throws SvcError */
export async function makeSpeechFile(
  engine: Pick<SpeechSource, 'speak' | 'info'>,
  speech: Accepted,
  file: SpeechFile,
  { signal, objects, partsAtOnce }: SpeechFileOptions,
): Promise<SpokenFile> {
  if (isObjectUrl(file.path)) return makeObject(engine, speech, file, { signal, objects, partsAtOnce });
  const { captions, captionWords, ...output } = file;
  const timestamps = captions === undefined ? ('none' as const) : ('words' as const);
  const speaking = { engine, speech, output, timestamps, signal, partsAtOnce };
  const { sentences, ...spoken } = await speakToFile(speaking);
  await writeCaptions(sentences, { captions, captionWords });
  return { ...spoken, bytes: (await stat(file.path)).size };
}

/** Writes to a temporary folder first: the header of some formats is known only at the end. */
async function makeObject(
  engine: Pick<SpeechSource, 'speak' | 'info'>,
  speech: Accepted,
  file: SpeechFile,
  options: SpeechFileOptions,
): Promise<SpokenFile> {
  const { signal, objects } = options;
  const folder = await mkdtemp(join(tmpdir(), 'svc-speech-'));
  const forget = noteTemporary(folder);
  try {
    const path = join(folder, basename(file.path));
    const captions = file.captions === undefined ? undefined : join(folder, basename(file.captions));
    const spoken = await makeSpeechFile(engine, speech, { ...file, path, captions }, options);
    const { mimeType } = audioFormats[file.format];
    await objects.upload(path, file.path, { signal, mimeType });
    if (captions !== undefined && file.captions !== undefined) {
      await objects.upload(captions, file.captions, { signal });
    }
    return spoken;
  } finally {
    await rm(folder, { recursive: true, force: true });
    forget();
  }
}
