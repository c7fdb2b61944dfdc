/** The options about loudness and the silence around the speech. */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { acxProblems } from '../../audio/analyze/acx.ts';
import type { Levels } from '../../audio/analyze/levels.ts';
import type { AudioSink } from '../../audio/encode/sink.ts';
import { encoderGain, type LoudnessTarget } from '../../audio/loudness/loudness-target.ts';
import { besidePath } from '../../files/beside.ts';
import { quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { refuseOptions } from '../options/option-values.ts';
import type { OutputOptions } from '../options/output-options.ts';
import type { Output } from './output.ts';
import { openSink } from './speech-sink.ts';
import { round } from './units.ts';

type LoudnessOptions = Pick<OutputOptions, 'loudness' | 'truePeak' | 'headSilence' | 'tailSilence'>;

/** @throws SvcError INVALID_REQUEST when the options do not fit together */
export function checkLoudness(options: LoudnessOptions, output?: Output): void {
  if (options.truePeak !== undefined && options.loudness === undefined)
    throw requestError('--true-peak needs --loudness');
  if (output?.kind !== 'loudspeaker') return;
  refuseOptions(options, ['loudness', 'headSilence', 'tailSilence'], 'needs an audio file: name it with --output');
}

/** The loudness of the options; undefined to leave it as it is. */
export const targetOf = ({ loudness, truePeak }: LoudnessOptions): LoudnessTarget | undefined =>
  loudness === undefined || truePeak === undefined ? loudness : { ...loudness, truePeak };

/** Opens the destination of speech whose loudness is set, with silence around it. */
export async function openLeveled(
  output: Output,
  sampleRate: number,
  options: LoudnessOptions,
  onLevels: (levels: Levels) => void,
  io: Io,
): Promise<AudioSink> {
  const sink = surrounded(await openSink(output, sampleRate, io), sampleRate, options);
  const target = targetOf(options);
  if (target === undefined) return sink;
  const { createLeveledSink } = await import('../../audio/loudness/leveled-sink.ts');
  const keptPath = await placeBeside(output);
  const gain = output.kind === 'loudspeaker' ? 0 : encoderGain(output.format);
  return createLeveledSink(sink, { sampleRate, target, encoderGain: gain, keptPath, signal: io.signal, onLevels });
}

/** A name in the folder of the output, which has room for it; of temporary files if the output is none. */
async function placeBeside(output: Output): Promise<string> {
  const path = output.kind === 'file' ? output.path : '';
  const existing = path === '' ? undefined : await stat(path).catch(() => undefined);
  const isFile = path !== '' && existing?.isFile() !== false;
  const suffix = `.${randomBytes(6).toString('hex')}.tmp`;
  return besidePath(isFile ? path : join(tmpdir(), 'svc'), suffix, '.');
}

function surrounded(
  sink: AudioSink,
  sampleRate: number,
  { headSilence = 0, tailSilence = 0 }: LoudnessOptions,
): AudioSink {
  if (headSilence === 0 && tailSilence === 0) return sink;
  const silence = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * sampleRate));
  let hasBegun = false;
  return {
    async write(samples) {
      if (!hasBegun) await sink.write(silence(headSilence));
      hasBegun = true;
      await sink.write(samples);
    },
    async finish() {
      await sink.write(silence(tailSilence));
      await sink.finish();
    },
    abort: sink.abort,
  };
}

/** Null of silence. */
const level = z.number().nullable();

export const fileLevelsSchema = z
  .object({
    ...{ loudness: level, truePeak: level, rms: level, peak: level, noiseFloor: level },
    /** Reasons that keep ACX from accepting the file. */
    acx: z.array(z.string()).readonly(),
  })
  .readonly();
export type FileLevels = z.infer<typeof fileLevelsSchema>;

export function fileLevels(levels: Levels): FileLevels {
  const plain = (value: number | undefined): number | null =>
    value === undefined || !Number.isFinite(value) ? null : round(value, 2);
  const { loudness, truePeak, rms, peak, noiseFloor } = levels;
  return {
    ...{ loudness: plain(loudness), truePeak: plain(truePeak), rms: plain(rms) },
    ...{ peak: plain(peak), noiseFloor: plain(noiseFloor), acx: acxProblems(levels) },
  };
}

/** `-20.0 LUFS, true peak -3.6 dB, fit for ACX`. */
export function describeLevels({ loudness, truePeak, acx }: FileLevels): string {
  const shown = (value: number | null, unit: string): string =>
    value === null ? 'silent' : `${value.toFixed(1)} ${unit}`;
  const fit = acx.length === 0 ? 'fit for ACX' : `not fit for ACX (${acx.join('; ')})`;
  return `${shown(loudness, 'LUFS')}, true peak ${shown(truePeak, 'dB')}, ${fit}`;
}

/** In LU: what nobody hears. */
const tolerance = 0.5;

/** Warnings about a file that is not as loud as it was to be. */
export function loudnessWarnings(path: string, { loudness }: FileLevels, target: LoudnessTarget): readonly string[] {
  if (loudness === null) return [`${quote(path)} is too short or too quiet to set its loudness`];
  if (Math.abs(loudness - target.loudness) <= tolerance) return [];
  const way = `--true-peak ${target.truePeak} allows no more`;
  return [`the loudness of ${quote(path)} is ${loudness.toFixed(1)} LUFS instead of ${target.loudness}: ${way}`];
}
