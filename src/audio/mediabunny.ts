/** Apart from `load-library.ts`, which the page that speaks in the browser has too: its bundle would hold Mediabunny. */
import { loadLibrary } from './load-library.ts';

export type Mediabunny = typeof import('mediabunny');

/**
 * Containers of media files in TypeScript (MPL 2.0), kept from writing to the console.
 *
 * @throws SvcError BACKEND_UNAVAILABLE when the package is not there.
 */
export async function loadMediabunny(purpose: string): Promise<Mediabunny> {
  const library = await loadLibrary('mediabunny', purpose, () => import('mediabunny'));
  library.Logging.level = library.LogLevel.Silent;
  return library;
}
