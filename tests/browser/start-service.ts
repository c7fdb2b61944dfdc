import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Service extends AsyncDisposable {
  /** With a slash at the end. */
  readonly url: string;
}

/**
 * `svc serve` of what was compiled, with one thread, a free port, and no data of the user's.
 *
 * @throws Error when it ends before it listens
 */
export async function startService(...options: readonly string[]): Promise<Service> {
  const folder = await temporaryFolder();
  const program = join(process.cwd(), 'bin', 'svc.js');
  const settings = ['--backend', 'cpu', '--threads', '1', '--port', '0', ...options];
  const child = spawn(process.execPath, [program, 'serve', ...settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, SVC_CACHE_DIR: folder.join('cache'), SVC_SQLITE_PATH: folder.join('voices.sqlite') },
  });
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'close');
    await folder[Symbol.asyncDispose]();
  };
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    const { url } = line.startsWith('{') ? (JSON.parse(line) as { readonly url?: string }) : {};
    if (url === undefined) continue;
    child.stderr.resume();
    return { url: `${url}/`, [Symbol.asyncDispose]: close };
  }
  await close();
  throw new Error(`svc serve ended before it listened: ${lines.join('\n')}`);
}
