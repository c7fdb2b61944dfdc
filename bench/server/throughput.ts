/** Measures throughput with several concurrent streams. */
import { runLoad } from '../../src/bench/load.ts';
import { median } from '../../src/bench/statistics.ts';
import { startSvcServe } from '../svc-process.ts';
import { inFolder } from './server-process.ts';

const counts = [1, 2, 4, 8] as const;
const sentence = 'The morning train leaves the small station at seven.';
/** The limit for the sentence: six patches per token plus ten. */
const patchesOfSentence = 48;
/** Sentences that fit into one part. */
const mostSentences = 5;

export interface ThroughputOptions {
  readonly rounds: number;
  /** Length of each utterance, in patches. */
  readonly patches: number;
}

/**
 * Measures each number of streams in turn, ascending in one round and descending in the next, relative to the single
 * stream of the same round, so that other load affects all equally. An extra first round warms up graphs and caches.
 */
export async function measureThroughput(
  options: readonly string[],
  { rounds, patches }: ThroughputOptions,
): Promise<void> {
  const sentences = Math.ceil(patches / patchesOfSentence);
  if (!(sentences >= 1 && sentences <= mostSentences)) {
    throw new Error(`--stream-patches must be from 1 to ${mostSentences * patchesOfSentence}, got ${patches}`);
  }
  const input = Array.from({ length: sentences }, () => sentence).join(' ');
  await inFolder(async (folder) => {
    const most = String(Math.max(...counts));
    const server = await startSvcServe([...options, '--voice-dir', folder, '--max-batch', most]);
    const measured: Map<number, number>[] = [];
    try {
      for (let round = 0; round <= rounds; round += 1) {
        const rates = new Map<number, number>();
        for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
          rates.set(count, await secondsPerSecond(server.url, count, { input, patches }));
        }
        if (round > 0) measured.push(rates);
      }
    } finally {
      await server.stop();
    }
    console.log(`streams of ${patches} patches, medians of ${rounds} rounds (least to most):`);
    for (const count of counts) {
      const rates = measured.map((round) => round.get(count) as number);
      const ratios = measured.map((round) => (round.get(count) as number) / (round.get(1) as number));
      console.log(`${count} at once: ${spread(rates)} seconds of audio per second, ${spread(ratios)} × one stream`);
    }
  });
}

async function secondsPerSecond(
  url: string,
  count: number,
  { input, patches }: { readonly input: string; readonly patches: number },
): Promise<number> {
  const { audioSecondsPerSecond, failures } = await runLoad({
    server: url,
    streams: count,
    requests: count,
    seconds: Number.POSITIVE_INFINITY,
    body: (index) => ({ input, seed: index + 1, min_length: patches, max_length: patches }),
  });
  const [failure] = Object.keys(failures);
  if (failure !== undefined) throw new Error(`a request failed: ${failure}`);
  return audioSecondsPerSecond;
}

const spread = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
