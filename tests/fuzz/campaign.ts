import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ChildEvent } from './child.ts';

export interface CampaignOptions {
  /** Module of the target. */
  readonly module: URL;
  /** Folder filled by the target's `prepare`. */
  readonly source: string;
  readonly seed: number;
  /** Rounds `first` to `end - 1`. */
  readonly first: number;
  readonly end: number;
  readonly limits: Limits;
  /** Module that lets the processes load TypeScript; default: `tsx`. */
  readonly loader?: string;
  readonly onFailure?: (failure: Failure) => void;
}

export interface Limits {
  /** CPU time limit of a round. The limit on elapsed time is twelve times as long, for busy machines. */
  readonly seconds: number;
  /** Memory limit in bytes, above that of the valid file. */
  readonly memory: number;
}

export const usualLimits: Limits = { seconds: 5, memory: 1024 ** 3 };

export interface Failure {
  readonly kind: 'crash' | 'hang' | 'memory' | 'misreported';
  readonly round: number;
  /** How the file was corrupted. */
  readonly change: string;
  readonly detail: string;
}

export interface CampaignResult {
  readonly rounds: number;
  /** Files that were usable despite the corruption. */
  readonly used: number;
  /** Files refused with a one-line error and a suitable code. */
  readonly refused: number;
  readonly failures: readonly Failure[];
}

/** Rounds per process: enough to amortize its start, few enough that leaks don't add up. */
const batch = 200;
/** Time limit for a child to start and use the valid file. */
const startSeconds = 120;

interface Progress {
  used: number;
  refused: number;
  /** The current or next round. */
  round: number;
  failure: Failure | undefined;
}

/** CPU seconds of the process; elapsed seconds where the system doesn't report them. */
function processorSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // In hundredths of a second, in kernel and user mode.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return performance.now() / 1000;
  }
}

/** Runs one process until its rounds are done or one fails. */
function runChild(options: CampaignOptions, first: number, end: number): Promise<Progress> {
  const { module, source, seed, limits, loader = 'tsx' } = options;
  const progress: Progress = { used: 0, refused: 0, round: first, failure: undefined };
  const program = new URL('./child.ts', import.meta.url).pathname;
  const given = [module.href, source, seed, first, end].map(String);
  const child = spawn(process.execPath, ['--import', loader, program, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
  let change = '';
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-2000);
  });
  const fail = (kind: Failure['kind'], detail: string): void => {
    progress.failure ??= { kind, round: progress.round, change, detail };
    child.kill('SIGKILL');
  };
  const watch = (seconds: number): NodeJS.Timeout => {
    const begin = { used: processorSeconds(child.pid), at: performance.now() / 1000 };
    return setInterval(() => {
      const used = processorSeconds(child.pid) - begin.used;
      if (used > seconds) fail('hang', `no end after ${used.toFixed(1)} s of the processor`);
      else if (performance.now() / 1000 - begin.at > 12 * seconds) fail('hang', `no end after ${12 * seconds} s`);
    }, 100);
  };
  let timer = watch(startSeconds);
  const take = (event: ChildEvent): void => {
    // It may continue until the signal reaches it.
    if (progress.failure) return;
    if (event.event === 'change') change = event.change;
    if (event.event === 'start') {
      clearInterval(timer);
      timer = watch(limits.seconds);
      progress.round = event.round;
      change = '';
    }
    if (event.event !== 'end') return;
    clearInterval(timer);
    if (event.memory > limits.memory) fail('memory', `${Math.round(event.memory / 1024 ** 2)} MiB above the model`);
    else if (event.outcome === 'misreported') fail('misreported', event.message);
    else progress[event.outcome] += 1;
    if (!progress.failure) progress.round += 1;
  };
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout }).on('line', (line) => {
      // Libraries may print other lines.
      if (line.startsWith('{"event":')) take(JSON.parse(line) as ChildEvent);
    });
    child.once('error', reject);
    // The last line may arrive after the process has ended.
    const whole = once(lines, 'close');
    child.once('close', async (code, signal) => {
      await whole;
      clearInterval(timer);
      const isDone = code === 0 && progress.round >= end;
      if (!isDone && !progress.failure) {
        const how = `${signal ?? `exit code ${code}`} ${complaint.trim().split('\n').at(-1) ?? ''}`.trim();
        // Nothing was corrupted yet: the error is in this program or in the valid file.
        if (change === '') {
          reject(new Error(`round ${progress.round} did not begin: ${complaint || how}`));
          return;
        }
        progress.failure = { kind: 'crash', round: progress.round, change, detail: how };
      }
      resolve(progress);
    });
  });
}

/** Corrupts and reads files, round after round, in separate processes, and counts what ends a process. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { first, end, onFailure } = options;
  const failures: Failure[] = [];
  let used = 0;
  let refused = 0;
  let next = first;
  while (next < end) {
    const progress = await runChild(options, next, Math.min(end, next + batch));
    used += progress.used;
    refused += progress.refused;
    next = progress.round;
    if (progress.failure === undefined) continue;
    const failure = await confirm(options, progress.failure);
    if (failure) {
      failures.push(failure);
      onFailure?.(failure);
    } else used += 1;
    next += 1;
  }
  return { rounds: end - first, used, refused, failures };
}

/** Repeats a round that took too much memory or time alone, since earlier rounds may be the cause. */
async function confirm(options: CampaignOptions, failure: Failure): Promise<Failure | undefined> {
  if (failure.kind !== 'hang' && failure.kind !== 'memory') return failure;
  return (await runChild(options, failure.round, failure.round + 1)).failure;
}
