/** Clients of other projects, and the server that they use. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServerProcess, startSvcServe } from '../../bench/svc-process.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { sharedProcesses } from './shared-processes.ts';

/** `svc serve` with the demo model and voices of its own, for all tests of the file or `describe`. */
export function sharedServe(...options: readonly string[]): ServerProcess {
  const share = sharedProcesses();
  const folder = sharedFolder();
  return share(() => startSvcServe(['--backend', 'cpu', '--threads', '1', '--voice-dir', folder, ...options]));
}

/** Runs a script of `clients`; returns the object in the last line that it prints. */
export async function runClient<Result>(
  script: string,
  values: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const path = join(import.meta.dirname, 'clients', script);
  const command = script.endsWith('.py') ? 'python3' : process.execPath;
  const { stdout } = await promisify(execFile)(command, [path, ...values], { env: { ...process.env, ...environment } });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Result;
}
