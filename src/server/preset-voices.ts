/** Voices that come with the package: recordings with their transcripts, in `models/voices`. Where they are from, the README there says. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { readAudioFile } from '../audio/read-audio.ts';
import type { Audio } from '../audio/wav.ts';
import { findPackage } from '../model/package-root.ts';

export interface PresetVoice {
  readonly id: string;
  readonly text: string;
  readonly audio: Audio;
}

export async function loadPresets(
  folder = join(findPackage().root, 'models', 'voices'),
): Promise<readonly PresetVoice[]> {
  const files = await readdir(folder).catch(() => []);
  const recordings = files.filter((name) => extname(name) === '.wav').map((name) => basename(name, '.wav'));
  return Promise.all(
    recordings.sort().map(async (id) => {
      const text = (await readFile(join(folder, `${id}.txt`), 'utf8')).trim();
      return { id, text, audio: await readAudioFile(join(folder, `${id}.wav`)) };
    }),
  );
}
