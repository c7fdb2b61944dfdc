/** Separate from `load-library.ts`, which the browser page includes: its bundle would contain Mediabunny. */
import { loadLibrary } from './load-library.ts';

export type Mediabunny = typeof import('mediabunny');

/** Loads Mediabunny (MPL 2.0), a library for media containers, and silences it. @throws SvcError BACKEND_UNAVAILABLE */
export async function loadMediabunny(purpose: string): Promise<Mediabunny> {
  const library = await loadLibrary('mediabunny', purpose, () => import('mediabunny'));
  library.Logging.level = library.LogLevel.Silent;
  return library;
}
