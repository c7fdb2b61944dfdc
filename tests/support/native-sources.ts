import { readFileSync } from 'node:fs';

/** Contents of the folder `native`: `native/sources.json`. */
export const nativeSources = (): {
  readonly folders: readonly string[];
  readonly probeFolder: string;
  /** Folders of tests with CUDA kernels. */
  readonly gpuFolders: readonly string[];
  readonly buildFiles: readonly string[];
} => JSON.parse(readFileSync('native/sources.json', 'utf8'));
