/**
 * Streaming: plays speech while it is generated. Ctrl-C stops it within one step.
 *
 *     node --import tsx examples/stream.ts "A longer text." | aplay
 */
import { createAudioStream, createEngine, SvcError } from 'voxcpm';

const [text = 'You hear this while it is generated.'] = process.argv.slice(2);
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());

await using engine = await createEngine();
// Audio is generated on demand, so a slow reader slows the model down.
const stream = engine.stream({ text, seed: 7 }, { signal: controller.signal });
const audio = createAudioStream(process.stdout, { format: 'wav', sampleRate: stream.sampleRate });
try {
  for await (const { samples } of stream) await audio.write(samples);
  await audio.finish();
} catch (error) {
  await audio.abort();
  // Ctrl-C, or the reader closed the pipe.
  if (!(error instanceof SvcError) || error.code !== 'CANCELLED') throw error;
  process.exitCode = error.exitCode;
}
