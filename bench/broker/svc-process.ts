/** Starts workers and front ends as `svc` processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { svcProgram } from '../svc-program.ts';

export interface SvcProcess {
  readonly child: ChildProcess;
  /** Fields of the log line that reported readiness. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Its log, at most the last 100,000 characters. */
  log(): string;
  /** Stops it; returns its exit code and how long it took. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly code: number | null; readonly milliseconds: number }>;
}

/** Time for a start, in milliseconds. */
const patience = 120_000;

/**
 * Resolves when the process has logged `message`; kills it if that takes too long.
 *
 * @param root the repository, or a changed copy of it
 */
export async function startSvc(
  settings: readonly string[],
  message: string,
  environment: Readonly<Record<string, string>> = {},
  root = '.',
): Promise<SvcProcess> {
  const child = spawn(process.execPath, [...svcProgram(root), ...settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let log = '';
  let isReady = false;
  const late = setTimeout(() => child.kill('SIGKILL'), patience);
  const ready = await new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stderr?.on('data', (part: Buffer) => {
      log = `${log}${part.toString()}`.slice(-100_000);
      const line = isReady ? undefined : log.split('\n').find((each) => each.includes(`"msg":"${message}"`));
      if (line === undefined || !line.endsWith('}')) return;
      isReady = true;
      resolve(JSON.parse(line) as Record<string, unknown>);
    });
    child.once('close', (code) => reject(new Error(`svc ${settings[0]} ended with ${code}: ${log}`)));
  }).finally(() => clearTimeout(late));
  return {
    child,
    ready,
    log: () => log,
    async stop(signal = 'SIGTERM') {
      const started = performance.now();
      if (child.exitCode !== null || child.signalCode !== null) return { code: child.exitCode, milliseconds: 0 };
      const closed = once(child, 'close');
      child.kill(signal);
      const [code] = (await closed) as [number | null];
      return { code, milliseconds: performance.now() - started };
    },
  };
}

/** With one thread: ggml's threads spin, so two workers with two threads each would wait for one another. */
export const startWorker = (broker: string, ...settings: readonly string[]): Promise<SvcProcess> =>
  startSvc(['worker', '--broker', broker, '--backend', 'cpu', '--threads', '1', ...settings], 'working');

export interface FrontProcess extends SvcProcess {
  readonly url: string;
}

export async function startFront(
  broker: string,
  voiceFolder: string,
  settings: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<FrontProcess> {
  const own = ['serve', '--broker', broker, '--port', '0', '--voice-dir', voiceFolder];
  const started = await startSvc([...own, ...settings], 'listening', environment);
  return { ...started, url: String(started.ready.url) };
}

export interface SpeakOptions {
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** Streams raw samples at the model's rate. */
export const speak = (url: string, input: string, { seed, signal }: SpeakOptions): Promise<Response> =>
  fetch(`${url}/v1/audio/speech/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input, seed }),
    signal: signal ?? null,
  });

/** @throws Error unless the answer is complete */
export async function samplesOf(response: Response): Promise<Int16Array> {
  if (response.status !== 200) throw new Error(`the server answered ${response.status}: ${await response.text()}`);
  return new Int16Array(await response.arrayBuffer());
}
