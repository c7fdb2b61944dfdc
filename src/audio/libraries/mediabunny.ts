/** Separate from `load-library.ts`, which the browser page includes: its bundle would contain Mediabunny. */
import type { AudioSampleSource } from 'mediabunny';
import { loadLibrary } from './load-library.ts';

export type Mediabunny = typeof import('mediabunny');

/** Loads Mediabunny (MPL 2.0), a library for media containers, and silences it. @throws SvcError BACKEND_UNAVAILABLE */
export async function loadMediabunny(purpose: string): Promise<Mediabunny> {
  const library = await loadLibrary('mediabunny', purpose, () => import('mediabunny'));
  library.Logging.level = library.LogLevel.Silent;
  return library;
}

/** Gives mono samples to an encoder; `at` counts those before them. */
export async function addSamples(
  { AudioSample }: Mediabunny,
  source: AudioSampleSource,
  { data, at, sampleRate }: { readonly data: Float32Array; readonly at: number; readonly sampleRate: number },
): Promise<void> {
  const timestamp = at / sampleRate;
  const sample = new AudioSample({ data, format: 'f32', numberOfChannels: 1, sampleRate, timestamp });
  try {
    await source.add(sample);
  } finally {
    sample.close();
  }
}
