/**
 * How long a request at every limit of the server keeps the event loop busy before its first step: 65,000 characters, 10,000
 * respellings and a recording of 30 s.
 *
 *     npx tsx bench/accept.ts
 */
import { withVoices } from '../src/engine/accepted.ts';
import { createEngineFromBackend } from '../src/engine/engine.ts';
import { parseRequestText } from '../src/engine/parsed-request.ts';
import { resolveFields } from '../src/engine/request.ts';
import { inTurns } from '../src/event-loop.ts';
import { createFakeBackend } from '../tests/engine/fake-backend.ts';

const rounds = 7;
const sentence = 'The quick brown fox jumps over the lazy dog and talks to everyone it meets on the way home. ';
const characters = 65_000;
const respellings = Array.from({ length: 10_000 }, (_, index) => ({
  written: `word${index}`,
  spoken: `spoken ${index}`,
}));
const samples = Float32Array.from({ length: 30 * 48_000 }, (_, index) => Math.sin(index / 20) / 2);
const info = {
  architecture: 'voxcpm2',
  inputPatchSamples: 7680,
  inputSampleRate: 48_000,
  patchSamples: 2560,
  contextLength: 8192,
} as const;

/** Milliseconds of processor time since the last call; all work is on the event loop. */
function createStopwatch(): () => Promise<number> {
  let since = process.cpuUsage();
  return async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.cpuUsage(since);
    since = process.cpuUsage();
    return (user + system) / 1000;
  };
}

async function measure(round: number): Promise<readonly [accept: number, speak: number]> {
  const backend = { ...createFakeBackend({ stopAt: 4, info }), encode: async () => new Float32Array(6) };
  await using engine = createEngineFromBackend(backend, { maxBatch: 8 });
  // Nothing of an earlier round is known.
  const text = `${sentence.repeat(characters / sentence.length)}${round}`;
  const lexicon = [...respellings, { written: 'fox', spoken: 'focks' }];
  const lap = createStopwatch();
  await lap();
  const parsed = await inTurns(parseRequestText({ ...resolveFields({ lexicon, seed: 7 }), text }));
  const accepted = await inTurns(engine.accept(parsed));
  const own = { referenceAudio: { samples, sampleRate: 48_000, channels: 1 } };
  const speech = withVoices(accepted, { own }, engine.info);
  const accepting = await lap();
  for await (const _ of engine.speak(speech, { mayRetract: true })) break;
  return [accepting, await lap()];
}

const shown = (milliseconds: number): string => milliseconds.toFixed(0).padStart(6);

console.log('accept  speak    sum  ms on the event loop');
for (let round = 0; round < rounds; round += 1) {
  const [accepting, speaking] = await measure(round);
  console.log([accepting, speaking, accepting + speaking].map(shown).join(' '));
}
