/** JSON bodies of every kind of request, mutated as values, as text, or with hostile texts and shapes in them. */
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { longest } from '../engine/hostile-texts.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateJson } from './mutate-json.ts';
import { pick, type Random } from './random.ts';
import { createServedTarget, replyOf } from './served.ts';
import { hostileBody, hostileText } from './text.ts';

interface Round {
  readonly path: string;
  /** In Latin-1: a byte is a character. */
  readonly body: string;
}

const recording = Buffer.from(encodeWav(new Float32Array(1600).fill(0.1), 16_000)).toString('base64');
const speech = { input: 'Hello there.', voice: 'alloy', response_format: 'pcm' };

const prompt = { prompt_wav_path: 'a.wav', prompt_text: 'b' };
const script = {
  ...{ input: '# One\n\n[pause:1s] anna: two', input_format: 'script' },
  ...{ voices: { anna: 'alloy' }, lexicon: [{ written: 'two', spoken: 'too' }] },
};

const bodies: readonly (readonly [path: string, body: object])[] = [
  ['/v1/audio/speech', { ...speech, speed: 1, seed: 3, max_length: 8, sample_rate: 16_000, instructions: 'calm' }],
  ['/v1/audio/speech', { ...speech, ref_audio: recording, ref_text: 'said.' }],
  ['/v1/audio/speech', { input: 'a', ...prompt, cfg_value: 2, inference_timesteps: 4 }],
  ['/v1/audio/speech', { ...speech, ...script, normalize: true, stream_format: 'sse' }],
  ['/v1/audio/speech/stream', speech],
  ['/v1/audio/speech/cancel', { job_id: 'a' }],
  ['/dev/captioned_speech', { ...speech, stream: false, return_timestamps: true }],
  ['/v1/text-to-speech/alloy', { text: 'Hello.', model_id: 'a', voice_settings: { speed: 1 } }],
  ['/v1/text-to-speech/alloy/with-timestamps', { text: 'Hello.', pronunciation_dictionary_locators: [] }],
  ['/v1/voices', { voice_name: 'anna', prompt_wav_path: 'a.wav', prompt_text: 'a' }],
  ['/v1/loras', { name: 'a', path: 'a' }],
  ['/tts', { text: 'Hello.', voice: 'alloy', response_format: 'pcm' }],
];

/** After which a client goes away. */
const mostMilliseconds = 2000;

/** Shapes that cost a parser or what follows it. */
const shapes: readonly ((random: Random) => string)[] = [
  (random) => '['.repeat(1 + random(500_000)),
  (random) => '{"a":'.repeat(1 + random(100_000)),
  (random) => `{"input":"a","x":${'['.repeat(5000)}${']'.repeat(5000)},"y":"${'z'.repeat(random(100_000))}"}`,
  (random) => `{${Array.from({ length: 1 + random(60_000) }, (_, index) => `"${index}":1`).join()}}`,
  (random) => `{"input":"a","junk":[${'{},'.repeat(random(300_000))}{}]}`,
  (random) => `{"input":"${'\\u0000'.repeat(random(100_000))}"}`,
  (random) => `{"input":"${'\\"'.repeat(random(400_000))}","ref_audio":"${'A'.repeat(random(3_000_000))}"}`,
  (random) => `{"input":${'9'.repeat(1 + random(500_000))}}`,
];

/** The same body with a hostile text in one of its fields. */
function withText(body: object, random: Random): string {
  const text = hostileText(random).slice(0, pick(random, [300, 4000, longest]));
  return JSON.stringify({ ...body, [pick(random, Object.keys(body))]: text });
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

export const target = createServedTarget<Round>({
  valid: { path: '/v1/audio/speech', body: JSON.stringify(speech) },
  mutate(random) {
    const [path, valid] = pick(random, bodies);
    const text = JSON.stringify(valid);
    switch (random(6)) {
      case 0: {
        const { bytes, change } = mutateBytes(Buffer.from(text), random);
        return { round: { path, body: bytes.toString('latin1') }, change: `${path}: ${change}` };
      }
      case 1:
        return { round: { path, body: latin1(withText(valid, random)) }, change: `${path}: a hostile text` };
      case 2: {
        const number = random(shapes.length);
        return { round: { path, body: shapes[number]?.(random) ?? '' }, change: `${path}: shape ${number}` };
      }
      case 3: {
        const body = JSON.stringify({ ...valid, ...hostileBody(random, hostileText(random)) });
        return { round: { path, body: latin1(body) }, change: `${path}: hostile fields` };
      }
      default: {
        const { text: body, change } = mutateJson(text, random);
        return { round: { path, body: latin1(body) }, change: `${path}: ${change}` };
      }
    }
  },
  async send({ url }, { path, body }) {
    const headers = { 'Content-Type': 'application/json' };
    // A whole file of a long text takes long, in short turns.
    const signal = AbortSignal.timeout(mostMilliseconds);
    try {
      const sent = { method: 'POST', headers, body: Buffer.from(body, 'latin1'), signal };
      const response = await fetch(`${url}${path}`, sent);
      // Errors are whole; of speech, the beginning.
      if (response.ok) await response.body?.getReader().read();
      else await response.json();
      return replyOf(response.status);
    } catch (error) {
      if (signal.aborted) return 'used';
      throw error;
    }
  },
});
