import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSvcServe } from '../../bench/svc-process.ts';

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
  const folder = await mkdtemp(join(tmpdir(), 'svc-service-'));
  const environment = { SVC_CACHE_DIR: join(folder, 'cache'), SVC_SQLITE_PATH: join(folder, 'voices.sqlite') };
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const settings = ['--backend', 'cpu', '--threads', '1', ...options];
  const server = await startSvcServe(settings, environment, [join(process.cwd(), 'bin', 'svc.js')]).catch(
    async (error) => {
      await close();
      throw error;
    },
  );
  return {
    url: `${server.url}/`,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await close();
    },
  };
}
