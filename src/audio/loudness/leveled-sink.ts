/** A sink whose audio is brought to a loudness once it is complete; until then, a file of its own keeps it. */
import { rm } from 'node:fs/promises';
import { noteTemporary } from '../../files/temporary-files.ts';
import type { Levels } from '../analyze/levels.ts';
import { createAudioFile } from '../encode/format.ts';
import { readPcmFile } from '../encode/pcm-file.ts';
import type { AudioSink } from '../encode/sink.ts';
import type { LoudnessTarget } from './loudness-target.ts';
import { setLoudness } from './set-loudness.ts';

export interface Leveling {
  readonly sampleRate: number;
  readonly target: LoudnessTarget;
  /** Gain of the sink's encoder, in dB. */
  readonly encoderGain?: number | undefined;
  /** Path of the file that keeps the audio, 2 bytes per sample; it must not exist. */
  readonly keptPath: string;
  readonly signal: AbortSignal;
  /** Called with the levels of the audio as it is written. */
  readonly onLevels: (levels: Levels) => void;
}

/** @param sink gets the audio when `finish` is called */
export async function createLeveledSink(sink: AudioSink, leveling: Leveling): Promise<AudioSink> {
  const { sampleRate, target, encoderGain, keptPath, signal, onLevels } = leveling;
  const kept = await createAudioFile(keptPath, { format: 'pcm', sampleRate });
  const forget = noteTemporary(keptPath);
  const discard = async (): Promise<void> => {
    await kept.abort();
    await rm(keptPath, { force: true }).catch(() => undefined);
    forget();
  };
  return {
    write: kept.write,
    async finish() {
      await kept.finish();
      const leveled = await setLoudness(() => readPcmFile(keptPath), sampleRate, target, encoderGain);
      for await (const piece of leveled.samples()) {
        signal.throwIfAborted();
        await sink.write(piece);
      }
      await sink.finish();
      await discard();
      onLevels(leveled.levels);
    },
    async abort() {
      await discard();
      await sink.abort();
    },
  };
}
