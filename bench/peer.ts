/** VoxCPM.cpp's command line (`voxcpm_tts`), run beside ours on the same file, and what it prints about itself. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { cancelled } from '../src/engine/cancellation.ts';
import { SvcError } from '../src/errors.ts';
import { watchOthers } from './machine.ts';
import { median, sum } from './statistics.ts';

export interface PeerRun {
  readonly program: string;
  readonly modelPath: string;
  readonly text: string;
  readonly patches: number;
  readonly threads: number;
  readonly timesteps: number;
  readonly cfg: number;
  /** WAV file that it writes. */
  readonly output: string;
  readonly prompt?: { readonly audio: string; readonly text: string };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** As printed; what is not printed is computed from what is. */
export interface PeerMeasurement {
  readonly patches: number;
  readonly audioSeconds: number;
  readonly encodeSeconds: number;
  /** Prefill and decode loop. */
  readonly modelSeconds: number;
  readonly vaeSeconds: number;
  readonly vaeMsPerPatch: number;
  readonly prefillMs: number;
  /** Median over the patches, as those of the stages. */
  readonly msPerStep: number;
  readonly stages: { readonly front: number; readonly baseLm: number; readonly residualLm: number };
  /** Its "Without AudioVAE", "Without AudioVAE Encode" and "Full pipeline". */
  readonly rtfModel: number;
  readonly rtfWithoutEncode: number;
  readonly rtfFull: number;
  readonly wallSeconds: number;
  /** Null where the system does not tell, as `othersBusy`. */
  readonly peakRssMb: number | null;
  /** Processors that others kept busy during the run, on average. */
  readonly othersBusy: number | null;
}

/** Read often enough for the high-water mark of a process of seconds. */
const pollMilliseconds = 50;

/**
 * The variables fix the number of patches and print each of them; without the second one a stop flag ends the run all the same.
 *
 * @throws SvcError INVALID_REQUEST when there is no such program, IO when it fails or prints something else, CANCELLED
 */
export async function runPeer(run: PeerRun): Promise<PeerMeasurement> {
  const { program, signal } = run;
  if (signal.aborted) throw cancelled(signal);
  const started = performance.now();
  const child = spawn(program, commandLine(run), {
    env: {
      ...run.environment,
      OMP_NUM_THREADS: String(run.threads),
      VOXCPM_BENCHMARK_DECODE_STEPS: String(run.patches),
      VOXCPM_BENCHMARK_IGNORE_STOP: '1',
      VOXCPM_LOG_DECODE_TIMING: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const onAbort = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', onAbort, { once: true });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });
  }
  try {
    const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(
          new SvcError(
            'INVALID_REQUEST',
            `expected a program that runs for --compare, received ${program}: ${cause.message}`,
            {
              cause,
            },
          ),
        ),
      );
      child.once('close', (code, killedBy) => resolve(killedBy ?? code ?? 0));
    });
    const others = watchOthers();
    const [code, { peakRssMb, cpuMs }] = await Promise.all([ended, watchProcess(child.pid, ended)]);
    const othersBusy = cpuMs === null ? null : others(cpuMs);
    if (signal.aborted) throw cancelled(signal);
    const wallSeconds = (performance.now() - started) / 1000;
    if (code !== 0) throw failure(program, `one that ended with ${code}: ${lastLine(printed)}`);
    return { ...parsePeerOutput(printed, program), wallSeconds, peakRssMb, othersBusy };
  } finally {
    signal.removeEventListener('abort', onAbort);
    child.kill('SIGKILL');
  }
}

const commandLine = ({ modelPath, text, output, threads, timesteps, cfg, prompt }: PeerRun): string[] => [
  ...['--model-path', modelPath, '--text', text, '--output', output],
  ...['--backend', 'cpu', '--threads', String(threads)],
  ...['--inference-timesteps', String(timesteps), '--cfg-value', String(cfg)],
  ...(prompt === undefined ? [] : ['--prompt-audio', prompt.audio, '--prompt-text', prompt.text]),
];

interface Watched {
  readonly peakRssMb: number | null;
  /** Processor time. */
  readonly cpuMs: number | null;
}

/** Of `/proc/<pid>/stat`; fixed at 100 Hz for programs. */
const tickMs = 10;

/** A process until it ends, from Linux's own records of it. */
async function watchProcess(pid: number | undefined, ended: Promise<unknown>): Promise<Watched> {
  let running = true;
  const stop = (): void => {
    running = false;
  };
  ended.then(stop, stop);
  let watched: Watched = { peakRssMb: null, cpuMs: null };
  while (running) {
    const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(await read('status'))?.[1];
    // After the name in brackets: state, ten numbers, user time, system time.
    const [, user, system] = /\) \S(?: -?\d+){10} (\d+) (\d+)/.exec(await read('stat')) ?? [];
    watched = {
      peakRssMb: kibibytes === undefined ? watched.peakRssMb : (Number(kibibytes) * 1024) / 1e6,
      cpuMs: user === undefined ? watched.cpuMs : (Number(user) + Number(system)) * tickMs,
    };
    await Promise.race([sleep(pollMilliseconds), ended.catch(() => undefined)]);
  }
  return watched;
}

const failure = (program: string, received: string): SvcError =>
  new SvcError('IO', `expected a run with times of ${program} for --compare, received ${received}`);

const lastLine = (text: string): string =>
  text
    .trim()
    .split(/[\r\n]+/)
    .at(-1)
    ?.trim() || 'nothing';

/** @throws SvcError IO when a figure is missing */
export function parsePeerOutput(
  printed: string,
  program: string,
): Omit<PeerMeasurement, 'wallSeconds' | 'peakRssMb' | 'othersBusy'> {
  const figure = (pattern: RegExp, what: string): number => {
    const value = Number(pattern.exec(printed)?.[1] ?? Number.NaN);
    if (Number.isFinite(value)) return value;
    throw failure(program, `none of ${what} in: ${lastLine(printed)}`);
  };
  const times = (name: string): number[] =>
    [...printed.matchAll(new RegExp(`\\b${name}=([\\d.e+-]+)`, 'g'))].map(([, value]) => Number(value));
  const totals = times('total_ms');
  if (totals.length === 0) throw failure(program, `none of the times of patches in: ${lastLine(printed)}`);
  const audioSeconds = figure(/Saved audio to .* \(([\d.]+)s\)/, 'the seconds of audio');
  const encodeSeconds = figure(/AudioVAE encode:\s+([\d.]+)s/, 'the seconds of encoding');
  const modelSeconds = figure(/Model inference:\s+([\d.]+)s/, 'the seconds of inference');
  const vaeSeconds = figure(/AudioVAE decode:\s+([\d.]+)s/, 'the seconds of decoding');
  return {
    patches: totals.length,
    audioSeconds,
    encodeSeconds,
    modelSeconds,
    vaeSeconds,
    vaeMsPerPatch: (vaeSeconds * 1000) / totals.length,
    prefillMs: Math.max(0, modelSeconds * 1000 - sum(totals)),
    msPerStep: median(totals),
    stages: {
      front: median(times('front_half_ms')),
      baseLm: median(times('base_step_ms')),
      residualLm: median(times('residual_step_ms')),
    },
    rtfModel: figure(/Without AudioVAE:\s+([\d.]+)/, 'the RTF without the audio VAE'),
    rtfWithoutEncode: figure(/Without AudioVAE Encode:\s+([\d.]+)/, 'the RTF without encoding'),
    rtfFull: figure(/Full pipeline:\s+([\d.]+)/, 'the full RTF'),
  };
}
