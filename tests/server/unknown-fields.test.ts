/** Fields that the server does not know, on every route: a warning, or with `--strict` a refusal. */
import { describe, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { eventually } from '../support/eventually.ts';
import { read, type TestServer, wavOf } from './start-server.ts';
import { expectError, freshServer, sharedServer } from './test-server.ts';

const server = freshServer();
const lenient = sharedServer();
const strict = sharedServer({ settings: { strictness: 'strict' } });

const wav = wavOf();

/** One request of each kind, with an unknown field. */
const requests: Readonly<Record<string, (server: TestServer, field: string) => Promise<Response>>> = {
  speech: (server, field) => server.speak({ input: 'hello', voice: 'default', [field]: 1 }),
  'raw samples': (server, field) => server.post('/v1/audio/speech/stream', { input: 'hello', [field]: 1 }),
  'a body of text': (server, field) =>
    server.fetch(`/v1/audio/speech?${field}=1&events=native`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: new Blob(['hello']).stream(),
      duplex: 'half',
    } as RequestInit),
  'captioned speech': (server, field) => server.post('/dev/captioned_speech', { input: 'hello', [field]: 1 }),
  'a form': (server, field) => server.send('/tts', { input: 'hello', [field]: '1' }),
  'a URL': (server, field) => server.fetch(`/tts?input=hello&${field}=1`),
  ElevenLabs: (server, field) => server.post('/v1/text-to-speech/default', { text: 'hello', [field]: 1 }),
  "ElevenLabs' query": (server, field) => server.post(`/v1/text-to-speech/default?${field}=1`, { text: 'hello' }),
  'a new voice': (server, field) => server.send('/v1/voices', { id: 'a', text: 'a', audio: wav, [field]: '1' }),
  'a new voice of VoxCPM-ONNX': (server, field) =>
    server.send('/ref_feat', { feat_id: 'b', prompt_text: 'a', prompt_audio: wav, [field]: '1' }),
  'loading a model': (server, field) => server.post('/v1/models/fake/load', { [field]: 1 }),
};

describe.each(Object.entries(requests))('an unknown field of %s', (_name, request) => {
  it('is a warning, in the header and in the log', async () => {
    const before = lenient.log.length;
    const warnings = (): readonly string[] =>
      lenient.log.slice(before).filter((line) => line.includes('unknown field'));
    const response = await read(request(lenient, 'spped'));
    expect(response.ok).toBe(true);
    expect(response.headers.get('Warning')).toContain('299 svc "unknown field \\"spped\\" is ignored');
    await eventually(() => warnings().length > 0, 'it is logged');
    expect(warnings()).toHaveLength(1);
  });

  it('is refused by a strict server', async () => {
    const before = strict.backend.calls.length;
    const message = /^unknown field "spped" in the request/;
    await expectError(request(strict, 'spped'), 400, { message, param: 'spped', code: 'bad_request' });
    expect(strict.backend.calls.slice(before)).toEqual([]);
  });

  it('has no effect if it is none of sound', async () => {
    const response = await read(request(strict, 'user'));
    expect(response.ok).toBe(true);
    expect(response.headers.get('Warning') ?? '').not.toContain('unknown');
  });
});

describe('unknown fields', () => {
  it('are suggested, counted, and left alone without a value', async () => {
    const speech = { input: 'hello', voice: 'default', response_format: 'pcm' };
    const warningOf = async (fields: object) => (await server.speak({ ...speech, ...fields })).headers.get('Warning');
    const suggestion = 'unknown field \\"spede\\" is ignored; did you mean \\"speed\\"?';
    expect(await warningOf({ spede: 1 })).toBe(`299 svc "${suggestion}"`);
    expect(await warningOf({ a: 1, b: 2 })).toBe('299 svc "unknown fields \\"a\\", \\"b\\" are ignored"');
    expect(await warningOf({ a: null, b: '' })).toBeNull();
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
    expect(await warningOf(many)).toContain('and 492 more are ignored');
  });

  it('are warnings of events, too', async () => {
    const response = await server.speak({ input: 'hello', voice: 'default', stream_format: 'sse', spede: 1 });
    expect(await response.text()).toContain(
      '"warnings":["unknown field \\"spede\\" is ignored; did you mean \\"speed\\"?"]',
    );
  });

  it.each([
    ['/v1/audio/speech/stream', { type: 'session.config', voice: 'default', spede: 1 }],
    ['/v1/text-to-speech/default/stream-input', { text: 'hello ', spede: 1 }],
    ['/v1/text-to-speech/default/stream-input?spede=1', { text: 'hello ' }],
  ])('over %s are in the log, and end the connection with a strict server', async (path, message) => {
    for (const strictness of ['lenient', 'strict'] as const) {
      await server.start({ settings: { strictness } });
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`);
      const received: string[] = [];
      socket.on('message', (data) => received.push(String(data)));
      socket.on('open', () => {
        socket.send(JSON.stringify(message));
        if (path.startsWith('/v1/audio')) {
          for (const type of ['input.text', 'input.done', 'session.close']) {
            socket.send(JSON.stringify({ type, ...(type === 'input.text' && { text: 'hello' }) }));
          }
        } else socket.send(JSON.stringify({ text: '' }));
      });
      await new Promise((resolve) => socket.once('close', resolve));
      const logged = server.log.filter((line) => line.includes('unknown field \\"spede\\"')).length;
      const refused = received.some((text) => text.includes('unknown field \\"spede\\" in the request'));
      expect([logged > 0, refused]).toEqual([strictness === 'lenient', strictness === 'strict']);
    }
  });
});
