import { afterEach, describe, expect, it } from '@jest/globals';
import type { StartOptions } from '../server/start-server.ts';
import { startWyoming, type WyomingServer } from './start-wyoming.ts';
import { audioOf, typesOf } from './wyoming-client.ts';

let server: WyomingServer;
const start = async (...options: Parameters<typeof startWyoming>): Promise<WyomingServer> => {
  server = await startWyoming(...options);
  return server;
};

afterEach(() => server.close());

const speaking: StartOptions = { backend: { firstLevel: 0.1 } };

describe('synthesize', () => {
  it('sends the audio that HTTP sends, and goes on with the connection', async () => {
    await start(speaking);
    await using client = await server.connect();
    const body = { input: 'Hello there.', voice: 'alloy', response_format: 'pcm', sample_rate: 16_000 };
    const expected = Buffer.from(await (await server.speak(body)).arrayBuffer());
    for (let round = 0; round < 2; round += 1) {
      client.send('synthesize', { text: 'Hello there.', voice: { name: 'alloy' } });
      const events = await client.until('audio-stop');
      expect(typesOf(events)).toEqual(['audio-start', 'audio-chunk', 'audio-stop']);
      expect(events[0]?.data).toEqual({ rate: 16_000, width: 2, channels: 1, timestamp: 0 });
      expect(audioOf(events)).toEqual(expected);
    }
  });
});
