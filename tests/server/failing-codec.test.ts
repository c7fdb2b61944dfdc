/** Codecs that fail during a request: the engine's stream is always closed. */
import { expect, it } from '@jest/globals';
import type { EncoderPool } from '../../src/server/context/encoder-pool.ts';
import { eventually } from '../support/eventually.ts';
import { freshServer } from './test-server.ts';

const broken = (): Error => new Error('the codec is broken');

/** Resolves once there was audio of the engine, so that the stream exists when the codec fails. */
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

const server = freshServer();

it.each(Object.entries(encoders))('%s', async (_, open) => {
  await server.start({
    backend: { stopAt: undefined },
    openProtocolServer: async ({ encoders, metrics }) => {
      Object.assign(encoders, { open });
      Object.assign(metrics, { firstAudio: () => setImmediate(made) });
      return { close: () => Promise.resolve() };
    },
  });
  await expect(server.hear({ input: 'hello', response_format: 'pcm' })).rejects.toThrow();
  await eventually(() => server.backend.opened.every(({ closed }) => closed), 'the stream is closed');
  expect(server.backend.opened).toHaveLength(1);
});
