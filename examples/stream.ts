/**
 * Speech heard while it is made. Ctrl-C ends it within one step.
 *
 *     node --import tsx examples/stream.ts "A longer text." | aplay
 */
import { createAudioStream, createEngine, SvcError } from 'voxcpm';

const [text = 'This is heard while it is made.'] = process.argv.slice(2);
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());

await using engine = await createEngine();
// Nothing is computed before it is pulled: a slow reader slows the model down.
const stream = engine.stream({ text, seed: 7 }, { signal: controller.signal });
const audio = createAudioStream(process.stdout, { format: 'wav', sampleRate: stream.sampleRate });
try {
  for await (const { samples } of stream) await audio.write(samples);
  await audio.finish();
} catch (error) {
  await audio.abort();
  // Ctrl-C, or a reader that has gone.
  if (!(error instanceof SvcError) || error.code !== 'CANCELLED') throw error;
  process.exitCode = error.exitCode;
}
