/** Runs a program of this folder in a process of its own: it may crash, or end in the middle of a step. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { loadNative } from '../../../src/engine/backends/native/load-addon.ts';

export interface Outcome {
  /** A signal's name where one ended the process. */
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const { binary, directories } = loadNative();

/** What `addon.mjs` needs to find the addon. */
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
