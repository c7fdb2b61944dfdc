import { copyFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Copies libav.js beside the scripts that use it, where it looks for its WebAssembly. */
export async function copyLibav(output: string): Promise<void> {
  const folder = dirname(createRequire(import.meta.url).resolve('@libav.js/variant-obsolete'));
  const names = (await readdir(folder)).filter((name) => /^libav-[\d.]+-obsolete\.wasm\.(mjs|wasm)$/.test(name));
  for (const name of names) await copyFile(join(folder, name), join(output, name));
}
