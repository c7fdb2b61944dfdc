import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assertSound, recordingWarnings } from '../../src/audio/analyze/prompt-check.ts';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { loadPrompt } from '../../src/audio/resample/resample.ts';
import { mutateBytes, type Range, writeOddNumber } from './mutate-bytes.ts';
import { pick, type Random } from './random.ts';
import type { Target } from './target.ts';

/** A part of a file whose numbers determine how the rest is read. */
export interface Structure extends Range {
  readonly name: string;
  readonly order: 'little' | 'big';
}

export interface AudioFormat {
  /** Valid files in the fixture folder. */
  readonly files: readonly string[];
  /** Locations of headers and tables in a file. */
  readonly structures: (bytes: Buffer) => readonly Structure[];
  /** Repairs checksums, so that readers reach the corruption. */
  readonly repair?: (bytes: Buffer) => void;
}

const fixtures = new URL('../fixtures/', import.meta.url).pathname;

/** The tiny models' two sets of encoder inputs. */
const models = (['voxcpm', 'voxcpm2'] as const).map((architecture) => ({
  architecture,
  inputSampleRate: 16_000,
  inputPatchSamples: 1_280,
  contextLength: 4_096,
}));

/** Overwrites numbers in structures, moves and repeats structures, and corrupts bytes anywhere. */
function mutateAudio(original: Buffer, { structures, repair }: AudioFormat, random: Random) {
  const known = structures(original);
  const structure = known.length === 0 ? undefined : pick(random, known);
  if (structure === undefined || random(4) === 0) return mutateBytes(original, random);
  const { name, start, end, order } = structure;
  let bytes: Buffer = Buffer.from(original);
  let change: string;
  if (random(8) === 0) {
    const part = bytes.subarray(start, end);
    const at = pick(random, known).start;
    bytes = Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
    change = `${name} repeated at ${at}`;
  } else if (random(4) === 0) {
    ({ bytes, change } = mutateBytes(original, random, structure));
    change = `${name}: ${change}`;
  } else {
    const count = 1 + random(3);
    for (let index = 0; index < count; index += 1) {
      writeOddNumber(bytes, start + random(Math.max(1, end - start)), random, order);
    }
    change = `${name}: ${count} strange numbers`;
  }
  if (repair === undefined || random(3) === 0) return { bytes, change };
  bytes = Buffer.from(bytes);
  repair(bytes);
  return { bytes, change: `${change}, checksums right` };
}

interface Marks extends Pick<AudioFormat, 'files'> {
  /** Names or IDs of structures. */
  readonly marks: readonly string[];
  readonly encoding?: 'latin1' | 'hex';
  /** Bytes of a structure before its mark. */
  readonly before?: number;
  /** Bytes of a structure, from its beginning on. */
  readonly bytes: number;
  readonly order?: Structure['order'];
}

/** Recordings of a container whose structures bear marks, of which the first of each counts. */
export const createMarkedTarget = ({ files, marks, encoding = 'latin1', before = 0, bytes, order = 'big' }: Marks) =>
  createAudioTarget({
    files,
    structures: (file) =>
      marks.flatMap((name): Structure[] => {
        const start = file.indexOf(name, 0, encoding) - before;
        return start < 0 ? [] : [{ name, start, end: Math.min(start + bytes, file.length), order }];
      }),
  });

/** Recordings of one container, read like any command and the server do, and resampled for a model. */
export const createAudioTarget = (format: AudioFormat): Target => ({
  refusals: ['UNSUPPORTED_AUDIO', 'PAYLOAD_TOO_LARGE', 'INVALID_REQUEST'],
  async prepare(folder) {
    await mkdir(folder, { recursive: true });
    for (const file of format.files) await copyFile(join(fixtures, file), join(folder, basename(file)));
  },
  async mutate(source, work, random) {
    const file = pick(random, (await readdir(source)).sort());
    const { bytes, change } = mutateAudio(await readFile(join(source, file)), format, random);
    await writeFile(join(work, file), bytes);
    return `${file}: ${change}`;
  },
  async run(work, random) {
    for (const file of await readdir(work)) {
      const audio = await readAudioFile(join(work, file));
      if (!audio.samples.every(Number.isFinite)) throw new Error(`samples of ${file} are not finite`);
      const model = pick(random, models);
      assertSound(audio, file);
      recordingWarnings(audio, model, 'prompt');
      await loadPrompt(audio, model);
    }
  },
});
