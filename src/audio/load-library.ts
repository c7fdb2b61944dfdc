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
    const reason = error instanceof Error ? (error.message.split('\n')[0] as string) : String(error);
    throw new SvcError(
      'BACKEND_UNAVAILABLE',
      `expected the package ${name} for ${purpose}, received ${reason}; npm install ${name} adds it`,
      { cause: error },
    );
  }
}
