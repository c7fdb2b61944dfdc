/** One utterance: generated, measured, and played while it is generated. */
import { addWarning, announce, notify, showWarnings } from './announce.ts';
import * as card from './audio-card.ts';
import { block, button } from './dom.ts';
import { setSeed } from './options.ts';

export interface Listener {
  /** To be awaited before the first samples. */
  onStart(sampleRate: number, encode?: card.Encode): Promise<void>;
  onSamples(samples: Float32Array): void;
}

/** Peak of -50 dBFS, below which the server takes audio for silence. */
const silentPeak = 10 ** (-50 / 20);

const peakOf = (samples: Float32Array): number => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

const reuse = button('seed-reuse');

/** @param generate starts the generation at once and ends with it; returns the warnings about the speech */
export async function playUtterance(
  seed: number,
  generate: (listener: Listener) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<void> {
  card.reset();
  showWarnings([]);
  // Below the form on small screens.
  block('result').scrollIntoView({ block: 'nearest' });
  reuse.hidden = true;
  announce('Generating.');
  const requested = performance.now();
  let sampleCount = 0;
  let firstAudio = 0;
  let peak = 0;
  let warnings: readonly string[];
  try {
    warnings = await generate({
      onStart: (sampleRate, encode) => card.begin(seed, sampleRate, encode),
      onSamples(samples) {
        if (samples.length === 0) return;
        const elapsed = (performance.now() - requested) / 1000;
        if (sampleCount === 0) firstAudio = elapsed;
        sampleCount += samples.length;
        peak = Math.max(peak, peakOf(samples));
        card.append(samples, { sampleCount, firstAudio, elapsed });
      },
    });
  } catch (thrown) {
    card.finish(signal.aborted ? 'canceled' : 'failed');
    throw thrown;
  }
  card.finish('complete');
  if (warnings.length > 0) showWarnings(warnings);
  const isKnown = warnings.some((warning) => warning.includes('silent'));
  if (peak <= silentPeak && !isKnown) addWarning('the speech is silent; try another seed, voice or text');
  announce(
    `Complete: ${card.duration().toFixed(1)} seconds of audio, the first after ${firstAudio.toFixed(1)} seconds.`,
  );
  reuse.hidden = false;
  reuse.onclick = () => {
    setSeed(seed);
    notify(`Seed ${seed} will be used for the next speech.`);
  };
}
