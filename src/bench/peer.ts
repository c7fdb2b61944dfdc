/** Runs VoxCPM.cpp's command line (`voxcpm_tts`) on the same file and parses its timings. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { canceled } from '../cancellation.ts';
import { SvcError } from '../errors.ts';
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
  /** Path of the WAV file to write. */
  readonly output: string;
  readonly prompt?: { readonly audio: string; readonly text: string };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Figures as printed, or computed from printed ones. */
export interface PeerMeasurement {
  readonly patches: number;
  readonly audioSeconds: number;
  readonly encodeSeconds: number;
  /** Prefill and decode loop. */
  readonly modelSeconds: number;
  readonly vaeSeconds: number;
  readonly vaeMsPerPatch: number;
  readonly prefillMs: number;
  /** Median over the patches; `stages` too. */
  readonly msPerStep: number;
  readonly stages: { readonly front: number; readonly baseLm: number; readonly residualLm: number };
  /** Printed as "Without AudioVAE", "Without AudioVAE Encode" and "Full pipeline". */
  readonly rtfModel: number;
  readonly rtfWithoutEncode: number;
  readonly rtfFull: number;
  readonly wallSeconds: number;
  /** Null where the system doesn't report it; `othersBusy` too. */
  readonly peakRssMb: number | null;
  /** Average number of processors that other processes kept busy. */
  readonly othersBusy: number | null;
}

/** Frequent enough for the peak memory of a process that runs for seconds. */
const pollMilliseconds = 50;

/**
 * Environment variables set the number of patches, ignore the stop flag and print the time of each patch.
 *
 * @throws SvcError INVALID_REQUEST if the program can't be run, IO if it fails or prints no timings, CANCELLED
 */
export async function runPeer(run: PeerRun): Promise<PeerMeasurement> {
  const { program, signal } = run;
  if (signal.aborted) throw canceled(signal);
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
          new SvcError('INVALID_REQUEST', `cannot run ${program} for --compare: ${cause.message}`, {
            cause,
          }),
        ),
      );
      child.once('close', (code, killedBy) => resolve(killedBy ?? code ?? 0));
    });
    const others = watchOthers();
    const [code, { peakRssMb, cpuMs }] = await Promise.all([ended, watchProcess(child.pid, ended)]);
    const othersBusy = cpuMs === null ? null : others(cpuMs);
    if (signal.aborted) throw canceled(signal);
    const wallSeconds = (performance.now() - started) / 1000;
    if (code !== 0) throw failure(program, `ended with ${code}: ${lastLine(printed)}`);
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
  /** CPU time. */
  readonly cpuMs: number | null;
}

/** Clock tick of `/proc/<pid>/stat`, always 100 Hz in user space. */
const tickMs = 10;

/** Polls a process in Linux's `/proc` until it ends. */
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
    // Fields after the name in parentheses: state, ten numbers, user time, system time.
    const [, user, system] = /\) \S(?: -?\d+){10} (\d+) (\d+)/.exec(await read('stat')) ?? [];
    watched = {
      peakRssMb: kibibytes === undefined ? watched.peakRssMb : (Number(kibibytes) * 1024) / 1e6,
      cpuMs: user === undefined ? watched.cpuMs : (Number(user) + Number(system)) * tickMs,
    };
    await Promise.race([sleep(pollMilliseconds), ended.catch(() => undefined)]);
  }
  return watched;
}

const failure = (program: string, problem: string): SvcError => new SvcError('IO', `${program} ${problem} (--compare)`);

const lastLine = (text: string): string =>
  text
    .trim()
    .split(/[\r\n]+/)
    .at(-1)
    ?.trim() || 'nothing';

/** @throws SvcError IO if a figure is missing */
export function parsePeerOutput(
  printed: string,
  program: string,
): Omit<PeerMeasurement, 'wallSeconds' | 'peakRssMb' | 'othersBusy'> {
  const figure = (pattern: RegExp, what: string): number => {
    const value = Number(pattern.exec(printed)?.[1] ?? Number.NaN);
    if (Number.isFinite(value)) return value;
    throw failure(program, `did not print ${what}: ${lastLine(printed)}`);
  };
  const times = (name: string): number[] =>
    [...printed.matchAll(new RegExp(`\\b${name}=([\\d.e+-]+)`, 'g'))].map(([, value]) => Number(value));
  const totals = times('total_ms');
  if (totals.length === 0) throw failure(program, `did not print the times of patches: ${lastLine(printed)}`);
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
