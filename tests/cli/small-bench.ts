/** `svc bench` of a tiny model, which measures little in a second. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchReport } from '../../src/bench/bench.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { type CommandLine, invoke } from './invoke.ts';

export const tinyModel = 'tests/fixtures/peer-tiny-v1.gguf';
export const smallBench = (model = tinyModel) => `bench --model-path ${model} --threads 1 --patches 8 --text ab`;

export const reportOf = (stdout: Buffer): BenchReport => JSON.parse(stdout.toString().trim().split('\n').at(-1) ?? '');

export function useBench() {
  const folder = sharedFolder();
  return {
    folder,
    run: (line: CommandLine) => invoke(line, { environment: { ...process.env, SVC_CACHE_DIR: folder } }),
    /** Another program, of this code. */
    async writePeer(code: string): Promise<string> {
      const path = join(folder, 'peer');
      await writeFile(path, `#!${process.execPath}\n${code}\n`);
      await chmod(path, 0o755);
      return path;
    },
  };
}
