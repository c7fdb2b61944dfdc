/** Voices stored as files: a recording and its transcript, such as `anna.wav` and `anna.txt`. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Audio } from '../audio/audio.ts';
import { readAudioFile } from '../audio/decode/read-audio.ts';
import { decodeLeniently } from '../files/unicode-text.ts';
import { findPackage } from '../package/package-root.ts';

const compressed = ['.flac', '.mp3', '.ogg', '.opus', '.webm', '.m4a', '.aac'];
const audioExtensions = new Set(['.wav', '.aif', '.aiff', '.aifc', '.caf', ...compressed]);

/** The files of a voice. */
export interface RecordingFiles {
  readonly id: string;
  readonly audio: string;
  readonly transcript: string;
  /** Modification time of the newer file. */
  readonly changedAt: Date;
  /** Whether it comes with svc. */
  readonly isPreset: boolean;
}

/** A voice read from its files. */
export interface RecordedVoice extends Pick<RecordingFiles, 'id' | 'changedAt' | 'isPreset'> {
  readonly text: string;
  readonly audio: Audio;
}

/** Lists the voices of a folder by name without reading them; empty if the folder does not exist. */
export async function listRecordings(folder: string): Promise<readonly RecordingFiles[]> {
  const names = (await readdir(folder).catch(() => [])).sort();
  const found = new Map<string, RecordingFiles>();
  for (const name of names.filter((file) => audioExtensions.has(extname(file).toLowerCase()))) {
    const stem = basename(name, extname(name));
    const id = stem.normalize('NFC');
    if (found.has(id) || !names.includes(`${stem}.txt`)) continue;
    const [audio, transcript] = [join(folder, name), join(folder, `${stem}.txt`)];
    const files = await Promise.all([audio, transcript].map((path) => stat(path).catch(() => undefined)));
    // A named pipe may be endless.
    if (!files.every((file) => file?.isFile())) continue;
    const changed = Math.max(...files.map((file) => file?.mtimeMs ?? 0));
    found.set(id, { id, audio, transcript, changedAt: new Date(changed), isPreset: false });
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** @throws SvcError of `readAudioFile` */
export async function readRecording({ audio, transcript, ...files }: RecordingFiles): Promise<RecordedVoice> {
  const text = decodeLeniently(await readFile(transcript)).trim();
  return { ...files, text, audio: await readAudioFile(audio) };
}

/** The voices of this package, in `models/voices`; the README there gives their sources. */
export async function listPresets(): Promise<readonly RecordingFiles[]> {
  const files = await listRecordings(join(findPackage().root, 'models', 'voices'));
  return files.map((voice) => ({ ...voice, isPreset: true }));
}

/** The voices of this package as the page that runs a model in the browser lists them. */
export async function describePresets(): Promise<{ readonly voices: readonly object[] }> {
  const voices = (await listPresets()).map(async ({ id, audio, transcript }) => {
    return { name: id, address: `voices/${basename(audio)}`, text: decodeLeniently(await readFile(transcript)).trim() };
  });
  return { voices: await Promise.all(voices) };
}

export const loadPresets = async (): Promise<readonly RecordedVoice[]> =>
  Promise.all((await listPresets()).map(readRecording));

/** A hash that changes with recording and transcript, like the revision of a stored voice. */
export const recordedRevision = ({ text, audio: { samples, sampleRate } }: RecordedVoice): string =>
  createHash('sha256')
    .update(JSON.stringify([text, sampleRate]))
    .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    .digest('hex');
