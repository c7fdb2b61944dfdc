/** A dialect that exists here alone: a folder and a line in a list are all that a new one needs. */
import { expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Dialect } from '../../../src/server/dialects/dialect.ts';
import { withModel } from '../../../src/server/jobs/model-context.ts';
import { route } from '../../../src/server/openapi/operation.ts';
import { speechBodies } from '../../../src/server/routes/speech.ts';
import { speechBody } from '../../../src/server/schemas/speech.ts';
import { acceptJson } from '../../../src/server/speech/accepted-request.ts';
import { answerSpeech } from '../../../src/server/speech/send-audio.ts';
import { jsonLines } from '../../../src/server/speech/speech-json.ts';
import { documentOf } from '../openapi-document.ts';
import { sharedServer } from '../test-server.ts';

const parrot: Dialect = {
  errors: { keyHeader: 'x-parrot-key', busyStatus: 420, fieldsStatus: 418, detail: (code) => ({ squawk: code }) },
  operations: (context) => [
    {
      ...route('post', '/v1/voices/repeat', 'speech', 'Repeat.'),
      description: 'Squawks.',
      answers: { 200: { description: 'Lines.' } },
      handlers: [
        ...speechBodies(context),
        async (request, response) => {
          const input = speechBody.parse(request.body);
          const form = jsonLines(() => (squawk) => ({ squawk }));
          await withModel(context, input, response, async (context) => {
            const output = { format: 'wav', rate: 16_000 } as const;
            const accepted = await acceptJson(context, input, { output });
            await answerSpeech(context, response, { accepted, format: 'wav', form });
          });
        },
      ],
    },
  ],
  sockets: () => [
    { path: '/v1/perch', serve: ({ socket }) => socket.send('hello').then(() => socket.close(1000, '')) },
  ],
  variants: ({ models }) => [
    {
      method: 'get',
      path: '/v1/models',
      description: 'Parrots get a number.',
      answer: z.object({ models: z.int() }),
      answerWith: (_request, response) => void response.json({ models: models.list().length }),
    },
  ],
  withPublicFields: (body) => (body.speaker === 'polly' ? { ...body, speaker: 'default' } : body),
  speechStyle: ({ speaker }) =>
    speaker === 'polly' ? { format: 'flac', contentTypes: { flac: 'audio/x-parrot' } } : undefined,
};

const server = sharedServer({ dialects: [parrot], settings: { apiKey: 'seed' } });

const headers = { 'X-Parrot-Key': 'seed' };

it('has endpoints, before those of the public API that match too, and forms of answers', async () => {
  const response = await server.post('/v1/voices/repeat', { input: 'hello' }, { headers });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/x-ndjson']);
  const [line = ''] = (await response.text()).split('\n');
  expect(Buffer.from(JSON.parse(line).squawk, 'base64').toString('latin1')).toMatch(/^RIFF/);
});

it('has sockets', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/perch`, { headers });
  expect(await new Promise((resolve) => socket.on('message', (data) => resolve(String(data))))).toBe('hello');
});

it('has keys and errors of its own', async () => {
  const answers = [
    await server.post('/v1/voices/repeat', { input: 'hello' }),
    await server.post('/v1/audio/speech', { input: 'hello', speed: 99 }, { headers }),
    await server.fetch('/nowhere', { headers }),
  ];
  const error = { message: 'missing API key; send the header x-parrot-key: KEY' };
  expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]))).toMatchObject([
    [401, { error, detail: { squawk: 'invalid_api_key' } }],
    [418, { detail: [{ loc: ['body', 'speed'] }] }],
    [404, { detail: { squawk: 'not_found' } }],
  ]);
});

it('answers its clients at public endpoints, and no others', async () => {
  const asked = async (headers: Record<string, string>) => (await server.fetch('/v1/models', { headers })).json();
  expect(await asked(headers)).toEqual({ models: 1 });
  expect(await asked({ Authorization: 'Bearer seed' })).toMatchObject({ object: 'list' });
});

it('has fields and defaults of its own at the public endpoint', async () => {
  const response = await server.speak({ input: 'hello', speaker: 'polly' }, { headers });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'audio/x-parrot']);
});

it('is in the document', async () => {
  const document = await documentOf(server);
  expect(document.paths['/v1/voices/repeat']?.post?.description).toContain('Squawks.');
  expect(document.paths['/v1/models']?.get?.description).toMatch(/Parrots get a number\.$/);
  expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer', 'x-parrot-key']);
  expect(document.paths['/v1/text-to-speech/{voice}']).toBeUndefined();
});
