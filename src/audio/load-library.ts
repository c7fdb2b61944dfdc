import { SvcError } from '../errors.ts';

/**
 * A library that only some formats need, by dynamic import: WAV works without it.
 *
 * @throws SvcError BACKEND_UNAVAILABLE, one line with the remedy, when it is not installed or does not load here.
 */
export async function loadLibrary<Library>(
  name: string,
  purpose: string,
  load: () => Promise<Library>,
): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const [reason, remedy] = diagnose(error);
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected the package ${name} for ${purpose}, received ${reason}${remedy}`,
      {
        cause: error,
      },
    );
  }
}

function diagnose(error: unknown): readonly [reason: string, remedy: string] {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return ['none', '; reinstall svc'];
  // As the loader of Linux says it, e.g. of libasound.so.2.
  const [, library] = /(\S+): cannot open shared object file/.exec(message) ?? [];
  if (library !== undefined) return [`a system without ${library}`, `; ${adviceOn(library)}`];
  return [message.split('\n')[0] as string, ''];
}

const adviceOn = (library: string): string =>
  library.startsWith('libasound.')
    ? "install ALSA's library (on Debian: apt install libasound2)"
    : 'install the package of the system that has it';
