/**
 * Text to an audio file, in any format.
 *
 *     node --import tsx examples/speak.ts "Hello there." hello.mp3
 */
import { createAudioFile, createEngine, formatOfPath } from 'voxcpm';

const [text = 'Hello there.', path = 'hello.wav'] = process.argv.slice(2);
const format = formatOfPath(path) ?? 'wav';

// Without `modelPath`, the engine uses the demo model.
await using engine = await createEngine();
const { samples, sampleRate, seed } = await engine.synthesize({ text });

// The file appears under its name once it is complete.
const file = await createAudioFile(path, { format, sampleRate });
await file.write(samples);
await file.finish();
console.log(`${path}: ${(samples.length / sampleRate).toFixed(2)} s, seed ${seed}`);
