/** Defaults of the server, over each way in. */
import { expect, it } from '@jest/globals';
import { parseRequestDefault, type RequestDefaults } from '../../src/server/context/request-defaults.ts';
import { startWyoming } from '../wyoming/start-wyoming.ts';
import { bytesOf } from './start-server.ts';
import { freshServer } from './test-server.ts';

const server = freshServer(startWyoming);

const start = (...texts: readonly string[]): Promise<void> => {
  const requestDefaults = texts.reduce<RequestDefaults | undefined>(
    (others, text) => parseRequestDefault(text, '--default', others),
    undefined,
  );
  return server.start({ backend: { firstLevel: 1 }, settings: { requestDefaults } });
};

const spoken = (): string => server.backend.texts.join(' ');
const text = '7 cats are (so) here.';
const plain = 'input_format=plain';

const overHttp = (): Promise<Buffer> => server.hear({ input: text, response_format: 'pcm' });

const overForm = (): Promise<Buffer> =>
  bytesOf(server.fetch(`/tts?input=${encodeURIComponent(text)}&response_format=pcm`));

async function overWyoming(): Promise<void> {
  await using client = await server.connect();
  client.send('synthesize', { text });
  await client.until('audio-stop');
}

const overElevenLabs = (): Promise<Buffer> =>
  bytesOf(server.post('/v1/text-to-speech/default?output_format=pcm_16000', { text }));

async function overWebSocket(): Promise<void> {
  const path = '/v1/text-to-speech/default/stream-input?output_format=pcm_16000';
  await using client = await server.stream({ path });
  for (const part of [' ', `${text} `, '']) client.socket.send(JSON.stringify({ text: part }));
  await client.closed;
}

it.each([
  ['HTTP', overHttp],
  ['a form', overForm],
  ['Wyoming', overWyoming],
  ['the ElevenLabs API', overElevenLabs],
  ['a WebSocket', overWebSocket],
])('hold for requests over %s', async (_name, speak) => {
  await start('normalize=off', plain);
  await speak();
  expect(spoken()).toContain('7 cats');
});

it('give way to a request', async () => {
  await start('normalize=off');
  await server.hear({ input: text, normalize: true, response_format: 'pcm' });
  expect(spoken()).toContain('seven cats');
});

it('hold for a model or a voice, and are listed with the model', async () => {
  await start('normalize=on', 'fake:normalize=off', 'voice/nova:normalize=on', 'speed=1.5');
  await (await server.speak({ input: text, voice: 'nova', response_format: 'pcm' }))
    .arrayBuffer()
    .catch(() => undefined);
  const { data } = await server.json<{ data: { id: string; defaults: object }[] }>('/v1/models');
  expect(data.find(({ id }) => id === 'fake')?.defaults).toEqual({ normalize: false, speed: 1.5 });
  await overHttp();
  expect(spoken()).toContain('7 cats');
});

it('are checked at the start', async () => {
  await expect(start('nobody:normalize=on')).rejects.toThrow('--default names the unknown model "nobody"');
});
