/**
 * A server over a model that costs nothing, in a process of its own: patches of VoxCPM 2, 0.16 s at 48 kHz, from a recorded
 * voice. Sends its address.
 */
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { loadPresets } from '../../src/voices/recorded-voices.ts';
import { createFakeBackend } from '../../tests/engine/fake-backend.ts';
import { startServer } from '../../tests/server/start-server.ts';
import { patchSamples, sampleRate } from './carrying.ts';

const streams = Number(process.argv[2]);
const [voice] = await loadPresets();
if (voice === undefined) throw new Error('svc has no voice of its own');
const { samples } = voice.audio;
const last = samples.length - patchSamples;
const backend = createFakeBackend({
  info: { patchSamples, outputSampleRate: sampleRate, patchSize: 4, featureDim: 64, contextLength: 8192 },
});
let at = 0;
const server = await startServer({
  engine: createEngineFromBackend(
    {
      ...backend,
      decode: async (batch) =>
        batch.map(() => {
          at = (at + patchSamples) % last;
          return samples.slice(at, at + patchSamples);
        }),
    },
    { maxBatch: streams },
  ),
  slots: streams,
});

process.send?.(server.url);
