/**
 * Several texts at once: overlapping calls, here up to four, share each pass over the weights.
 *
 *     node --import tsx examples/batch.ts folder "One." "Two." "Three."
 */
import { writeFile } from 'node:fs/promises';
import { createEngine, encodeWav } from 'voxcpm';

const [folder = '.', ...texts] = process.argv.slice(2);

await using engine = await createEngine({ maxBatch: 4 });
const spoken = await Promise.allSettled(
  texts.map(async (text, index) => {
    const { samples, sampleRate } = await engine.synthesize({ text, seed: index });
    const path = `${folder}/${index + 1}.wav`;
    await writeFile(path, encodeWav(samples, sampleRate));
    return path;
  }),
);
for (const result of spoken) {
  console.log(result.status === 'fulfilled' ? result.value : `failed: ${result.reason.message}`);
}
