/** Starts `svc serve` as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { svcProgram } from '../svc-program.ts';

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  /** Stops it; returns its exit code and how long it took. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<{ readonly code: number | null; readonly milliseconds: number }>;
}

export async function startProcess(
  options: readonly string[],
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...svcProgram(), 'serve', '--port', '0', '--log-level', 'info', ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment,
  });
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (part: Buffer) => {
      log = `${log}${part.toString()}`.slice(-100_000);
      const found = /"url":"([^"]+)"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`the server ended: ${log}`)));
  });
  return {
    url,
    child,
    async memory() {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
    },
    async stop(signal = 'SIGTERM') {
      const started = performance.now();
      const closed = once(child, 'close');
      child.kill(signal);
      const [code] = (await closed) as [number | null];
      return { code, milliseconds: performance.now() - started };
    },
  };
}

export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const speak = (url: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
