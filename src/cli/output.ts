import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import type { Io } from './io.ts';
import { invalidOption } from './options.ts';

export type Output = { readonly kind: 'stream' } | { readonly kind: 'file'; readonly path: string };

/**
 * Where the audio goes. Checked before a model is loaded: nobody should wait for speech that can't be kept.
 *
 * @throws SvcError INVALID_REQUEST when it can't go there.
 */
export async function resolveOutput(output: string | undefined, { stdout }: Io): Promise<Output> {
  if (output === undefined || output === '') throw invalidOption('a .wav file or -', '--output', 'none');
  if (output === '-') {
    if (stdout.isTTY === true) throw invalidOption('a pipe or a file on standard output', '--output -', 'a terminal');
    return { kind: 'stream' };
  }
  const existing = await stat(output).catch(() => undefined);
  if (existing?.isDirectory()) throw invalidOption('a .wav file or -', '--output', `the folder ${output}`);
  // A named pipe or a device such as /dev/null has the name that it has.
  if (existing !== undefined && !existing.isFile()) return { kind: 'file', path: output };
  if (extname(output).toLowerCase() !== '.wav')
    throw invalidOption('a file name that ends in .wav', '--output', output);
  const folder = dirname(resolve(output));
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw invalidOption('a file in an existing folder', '--output', output);
  const writable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!writable) throw invalidOption('a file in a writable folder', '--output', output);
  return { kind: 'file', path: output };
}
