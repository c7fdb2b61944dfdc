/** The options about loudness and the silence around the speech. */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Levels } from '../../audio/analyze/levels.ts';
import type { AudioSink } from '../../audio/encode/sink.ts';
import { encoderGain, type LoudnessTarget } from '../../audio/loudness/loudness-target.ts';
import { besidePath } from '../../files/beside.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { refuseOptions } from '../options/option-values.ts';
import type { OutputOptions } from '../options/output-options.ts';
import type { Output } from './output.ts';
import { openSink } from './speech-sink.ts';

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
