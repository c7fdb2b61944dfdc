import { join } from 'node:path';
import { startSvcServe } from '../../bench/svc-process.ts';
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
  const environment = { SVC_CACHE_DIR: folder.join('cache'), SVC_SQLITE_PATH: folder.join('voices.sqlite') };
  const settings = ['--backend', 'cpu', '--threads', '1', ...options];
  const program = [join(process.cwd(), 'bin', 'svc.js')];
  const server = await startSvcServe(settings, environment, program).catch(async (error) => {
    await folder[Symbol.asyncDispose]();
    throw error;
  });
  return {
    url: `${server.url}/`,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
