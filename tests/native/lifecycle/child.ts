/** Runs a program of this folder in a separate process, which may crash or exit during a step. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { loadNative } from '../../../src/engine/backends/native/load-addon.ts';

export interface Outcome {
  /** Exit code, or the name of the signal that ended the process. */
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const { binary, directories } = loadNative();

/** Environment for `addon.mjs` to find the addon. */
export const addonVariables = { SVC_TEST_ADDON: binary, SVC_TEST_LIBRARIES: JSON.stringify(directories) };

export const fixture = (name: string): string => join(process.cwd(), 'tests', 'fixtures', `peer-${name}.gguf`);

export function runChild(
  program: string,
  args: readonly (string | number)[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const file = join(process.cwd(), 'tests', 'native', 'lifecycle', program);
  const env = { ...process.env, ...addonVariables, ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args.map(String)], { env, timeout: 100_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.signal ?? error.code ?? null), stdout, stderr });
    });
  });
}
