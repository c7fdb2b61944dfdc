/** Codecs that fail during a request: the engine's stream is always closed. */
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createConcurrency } from '../../src/admission/concurrency.ts';
import { createQueue } from '../../src/admission/queue.ts';
import { createEngineFromBackend, type Engine } from '../../src/engine/engine.ts';
import { createAdapterCatalog } from '../../src/engine/lora/adapter-catalog.ts';
import type { SpeechSource } from '../../src/engine/speech-source.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { createModelNames } from '../../src/model-pool/model-names.ts';
import { createFixedModel } from '../../src/model-pool/served-models.ts';
import { createApp } from '../../src/server/app.ts';
import type { EncoderPool } from '../../src/server/context/encoder-pool.ts';
import { createForecast } from '../../src/server/context/forecast.ts';
import { createMcpSessions } from '../../src/server/context/mcp-sessions.ts';
import { defaultLimits, type ServerSettings } from '../../src/server/context/settings.ts';
import { createSockets } from '../../src/server/context/sockets.ts';
import { createTemporaryFiles } from '../../src/server/context/temporary-file.ts';
import { createRateLimits } from '../../src/server/http/rate-limits.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { createVoiceCatalog } from '../../src/voices/voice-catalog.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { storeIn } from '../voices/sample-voice.ts';
import { post } from './start-server.ts';

const broken = (): Error => new Error('the codec is broken');

/** Resolves once audio was requested from the engine, so that the stream exists when the codec fails. */
let made = (): void => undefined;

const encoders: Readonly<Record<string, EncoderPool['open']>> = {
  'cannot be opened': async () => {
    await new Promise<void>((resolve) => {
      made = resolve;
    });
    throw broken();
  },
  'fails at its first piece': async () => ({
    push: () => Promise.reject(broken()),
    flush: () => Promise.reject(broken()),
    close: () => undefined,
  }),
};

it.each(Object.keys(encoders))('%s', async (name) => {
  await using folder = await temporaryFolder();
  const engine: SpeechSource & Pick<Engine, 'close'> = createEngineFromBackend(createFakeBackend(), { maxBatch: 1 });
  const store = await openSqliteVoiceStore(storeIn(folder.path));
  const streams = { begun: 0, ended: 0 };
  const source: SpeechSource = {
    ...engine,
    async *speak(speech, options) {
      streams.begun += 1;
      try {
        yield* engine.speak(speech, options);
      } finally {
        streams.ended += 1;
      }
    },
  };
  const settings: ServerSettings = {
    strictness: 'lenient',
    lists: 'private',
    trustProxy: false,
    hosts: 'loopback',
    timesteps: 10,
    recordingFolders: [],
    modelsFolder: '',
    voiceFolder: '',
    consentFolder: '',
    corsOrigins: [],
    sseDialect: 'public',
    pcmRate: 'model',
    limits: defaultLimits,
  };
  const voices = createVoiceCatalog(source, { store, presets: [] });
  const app = createApp(
    {
      dialects: [],
      models: createFixedModel(source, createModelNames({ names: ['fake'], aliases: new Map(), match: 'any' })),
      allVoices: () => voices,
      voicesOf: () => voices,
      loras: createAdapterCatalog(),
      queue: createQueue({ slots: 1, maxWaiting: 0 }),
      sockets: createSockets({ limits: defaultLimits }),
      temporaryFiles: createTemporaryFiles(defaultLimits.temporaryBytes),
      encoders: {
        open: encoders[name] as EncoderPool['open'],
        prepare: () => undefined,
        close: () => Promise.resolve(),
      },
      forecast: createForecast(),
      concurrency: createConcurrency(),
      rates: createRateLimits(),
      metrics: { ...createMetrics(), firstAudio: () => setImmediate(made) },
      settings,
      logger: pino({ level: 'silent' }),
      openPlayer: () => Promise.reject(broken()),
      mcpSessions: createMcpSessions(1),
      hasPlayback: () => false,
    },
    [],
  );
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = post(`http://127.0.0.1:${port}/v1/audio/speech`, { input: 'hello', response_format: 'pcm' });
  const failed = answer.then(async (response) => {
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    await response.arrayBuffer();
  });
  await expect(failed).rejects.toThrow();
  await eventually(() => streams.ended === 1, 'the stream is closed');
  expect(streams.begun).toBe(1);
  server.close();
  await engine.close();
  await store.close();
});
