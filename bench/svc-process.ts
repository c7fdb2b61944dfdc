/** Starts `svc` as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { svcProgram } from './svc-program.ts';

export interface SvcProcess extends AsyncDisposable {
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
 * @param environment changes of the variables of this process
 * @param program arguments of Node.js that run svc
 */
export async function startSvc(
  settings: readonly string[],
  message: string,
  environment: Readonly<NodeJS.ProcessEnv> = {},
  program = svcProgram(),
): Promise<SvcProcess> {
  const child = spawn(process.execPath, [...program, ...settings], {
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
  const stop: SvcProcess['stop'] = async (signal = 'SIGTERM') => {
    const started = performance.now();
    if (child.exitCode !== null || child.signalCode !== null) return { code: child.exitCode, milliseconds: 0 };
    const closed = once(child, 'close');
    child.kill(signal);
    const [code] = (await closed) as [number | null];
    return { code, milliseconds: performance.now() - started };
  };
  return { child, ready, log: () => log, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

export interface ServerProcess extends SvcProcess {
  readonly url: string;
}

/** `svc serve` at a free port. */
export async function startSvcServe(
  settings: readonly string[],
  environment?: Readonly<NodeJS.ProcessEnv>,
  program?: readonly string[],
): Promise<ServerProcess> {
  const started = await startSvc(['serve', '--port', '0', ...settings], 'listening', environment, program);
  return { ...started, url: String(started.ready.url) };
}
