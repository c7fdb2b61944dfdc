import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ChildEvent } from './child.ts';

export interface CampaignOptions {
  /** Where the target's code is. */
  readonly module: URL;
  /** The folder that the target's `prepare` filled. */
  readonly source: string;
  readonly seed: number;
  /** Rounds `first` to `end - 1`. */
  readonly first: number;
  readonly end: number;
  readonly limits: Limits;
  readonly onFailure?: (failure: Failure) => void;
}

export interface Limits {
  /** Processor time that a round may take. One that waits is given twelve times as long: others may have the processor. */
  readonly seconds: number;
  /** Bytes above what the unbroken file takes. */
  readonly memory: number;
}

export const usualLimits: Limits = { seconds: 5, memory: 1024 ** 3 };

export interface Failure {
  readonly kind: 'crash' | 'hang' | 'memory' | 'misreported';
  readonly round: number;
  /** How the file was broken. */
  readonly change: string;
  readonly detail: string;
}

export interface CampaignResult {
  readonly rounds: number;
  /** Files that could be used in spite of what was done to them. */
  readonly used: number;
  /** Files refused with an error of one line and a fitting code. */
  readonly refused: number;
  readonly failures: readonly Failure[];
}

/** Rounds of one process: enough that starting it matters little, few enough that leaks don't add up. */
const batch = 200;
/** Time for a child to start and to use the unbroken file. */
const startSeconds = 120;

interface Progress {
  used: number;
  refused: number;
  /** The round under way, or the next one. */
  round: number;
  failure: Failure | undefined;
}

/** Seconds that the process has had the processor; those of the clock where the system does not tell. */
function processorSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // In hundredths, by the kernel and by the process itself.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return performance.now() / 1000;
  }
}

/** One process, until its rounds are done or one of them fails. */
function runChild(options: CampaignOptions, first: number, end: number): Promise<Progress> {
  const { module, source, seed, limits } = options;
  const progress: Progress = { used: 0, refused: 0, round: first, failure: undefined };
  const program = new URL('./child.ts', import.meta.url).pathname;
  const given = [module.href, source, seed, first, end].map(String);
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
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
    // It may go on until the signal reaches it.
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
      // A library may print lines of its own.
      if (line.startsWith('{"event":')) take(JSON.parse(line) as ChildEvent);
    });
    child.once('error', reject);
    // The last line may come after the end of the process.
    const whole = once(lines, 'close');
    child.once('close', async (code, signal) => {
      await whole;
      clearInterval(timer);
      const isDone = code === 0 && progress.round >= end;
      if (!isDone && !progress.failure) {
        const how = `${signal ?? `exit code ${code}`} ${complaint.trim().split('\n').at(-1) ?? ''}`.trim();
        // Nothing was broken yet: the fault is this program's, or the valid file's.
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

/** Breaks files and reads them, round after round, in processes of their own: what ends one of those is counted. */
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

/** What many rounds left behind looks like one that is greedy or slow: both are tried alone again. */
async function confirm(options: CampaignOptions, failure: Failure): Promise<Failure | undefined> {
  if (failure.kind !== 'hang' && failure.kind !== 'memory') return failure;
  return (await runChild(options, failure.round, failure.round + 1)).failure;
}
