/**
 * Voice cloning: encodes a recording once and uses it for several texts.
 *
 *     node --import tsx examples/clone.ts me.wav "What I say in me.wav." cloned
 */
import { writeFile } from 'node:fs/promises';
import { createEngine, encodeWav, readAudioFile, SvcError } from 'voxcpm';

const [recording = '', promptText = '', folder = '.'] = process.argv.slice(2);
const texts = ['Something I never said.', 'And another thing.'];

try {
  await using engine = await createEngine();
  const promptAudio = await engine.encode(await readAudioFile(recording), 'prompt');
  for (const [index, text] of texts.entries()) {
    const { samples, sampleRate } = await engine.synthesize({ text, promptAudio, promptText });
    await writeFile(`${folder}/cloned-${index + 1}.wav`, encodeWav(samples, sampleRate));
  }
} catch (error) {
  if (!(error instanceof SvcError)) throw error;
  // One line, and the exit code that svc would use.
  console.error(error.message);
  process.exitCode = error.exitCode;
}
