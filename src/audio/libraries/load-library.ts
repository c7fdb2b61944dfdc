import { SvcError } from '../../errors.ts';

/** Imports a library that only some formats need. @throws SvcError BACKEND_UNAVAILABLE with a remedy */
export async function loadLibrary<Library>(
  name: string,
  purpose: string,
  load: () => Promise<Library>,
): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof SvcError) throw error;
    const { problem, remedy } = diagnose(error);
    throw new SvcError('BACKEND_UNAVAILABLE', `the package ${name}, needed for ${purpose}, ${problem}`, {
      cause: error,
      remedy,
    });
  }
}

function diagnose(error: unknown): { readonly problem: string; readonly remedy?: string } {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
    return { problem: 'is not installed', remedy: 'reinstall svc' };
  // The message of the Linux loader, for example about libasound.so.2.
  const [, library] = /(\S+): cannot open shared object file/.exec(message) ?? [];
  if (library !== undefined) return { problem: `does not load without ${library}`, remedy: adviceOn(library) };
  return { problem: `does not load: ${message.split('\n')[0]}` };
}

/** The second name is that with times of 64 bits. */
export const alsaAdvice =
  'on Debian 12: apt install libasound2; on Debian 13 and Ubuntu 24.04: apt install libasound2t64';

const adviceOn = (library: string): string =>
  library.startsWith('libasound.')
    ? `install ALSA's library (${alsaAdvice})`
    : 'install the system package that contains it';
