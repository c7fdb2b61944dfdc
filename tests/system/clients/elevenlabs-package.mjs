/** The package `@elevenlabs/elevenlabs-js`. Prints what it got as one JSON object. */
import { createRequire } from 'node:module';

const [root, apiKey] = [process.argv[2].replace(/\/v1$/, ''), process.argv[3]];
// From `NODE_PATH`, which imports ignore.
const { ElevenLabsClient, ElevenLabsError } = createRequire(import.meta.url)('@elevenlabs/elevenlabs-js');
const client = new ElevenLabsClient({ baseUrl: root, apiKey });
const stranger = new ElevenLabsClient({ baseUrl: root, apiKey: 'another' });
const speech = {
  text: 'Hello there, how are you today?',
  modelId: 'eleven_flash_v2_5',
  voiceSettings: { stability: 0.5, speed: 1 },
};

async function lengthOf(audio) {
  let bytes = 0;
  for await (const piece of await audio) bytes += piece.length;
  return bytes;
}

const aligned = ({ audioBase64, alignment }) => ({
  bytes: Buffer.from(audioBase64, 'base64').length,
  text: alignment?.characters.join('') ?? '',
  end: alignment?.characterEndTimesSeconds.at(-1) ?? 0,
});

async function linesOf(stream) {
  const lines = [];
  for await (const line of await stream) lines.push(aligned(line));
  return lines;
}

async function errorOf(call) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof ElevenLabsError)) throw error;
    const { detail } = error.body;
    return [error.statusCode, Array.isArray(detail) ? 'list' : detail.status];
  }
  return null;
}

const { textToSpeech: tts, voices, models } = client;
const pcm = { ...speech, outputFormat: 'pcm_16000' };
console.log(
  JSON.stringify({
    convert: {
      mp3: await lengthOf(tts.convert('default', speech)),
      pcm: await lengthOf(tts.convert('default', pcm)),
    },
    stream: {
      mp3: await lengthOf(tts.stream('default', speech)),
      pcm: await lengthOf(tts.stream('default', pcm)),
    },
    timed: aligned(await tts.convertWithTimestamps('default', pcm)),
    lines: await linesOf(tts.streamWithTimestamps('default', pcm)),
    models: (await models.list()).map(({ modelId }) => modelId),
    voices: (await voices.getAll()).voices.length,
    found: (await voices.search({ search: 'nobody' })).totalCount,
    errors: {
      key: await errorOf(() => stranger.voices.getAll()),
      voice: await errorOf(() => tts.convert('nobody', speech)),
      text: await errorOf(() => tts.convert('default', { ...speech, text: '' })),
    },
  }),
);
