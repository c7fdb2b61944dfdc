import { describe, expect, it } from '@jest/globals';
import type { Recognize } from '../../src/engine/recognize.ts';
import { openRecognizer } from '../../src/recognition/open-recognizer.ts';
import { says, startEndpoint } from '../recognition/fake-endpoint.ts';
import { warningOf, wavOf } from './start-server.ts';
import { expectError, freshServer } from './test-server.ts';

const server = freshServer();
const start = (recognize: Recognize): Promise<void> =>
  server.start({ recognize, backend: { stopAt: 4, info: { contextLength: 100_000 } } });

describe('a server with a recognizer', () => {
  it('checks requests that ask for retries, not streams', async () => {
    await using endpoint = await startEndpoint(says('no'), says('one two'));
    await start(await openRecognizer(endpoint.url, {}));
    const body = { input: 'one two', response_format: 'pcm', seed: 7 };
    await server.hear(body);
    expect([endpoint.requests.length, server.backend.opened.length]).toEqual([0, 1]);
    await server.hear({ ...body, retry_badcase: true });
    expect([endpoint.requests.length, server.backend.opened.length]).toEqual([2, 3]);
  });

  it('warns of words that stay wrong, and takes the options of a request', async () => {
    await using endpoint = await startEndpoint(says('no'));
    await start(await openRecognizer(endpoint.url, {}));
    const body = { input: 'one two', response_format: 'pcm', retry_badcase: true };
    const strict = await warningOf(server.speak({ ...body, retry_badcase_max_times: 2 }));
    expect([strict, endpoint.requests.length]).toEqual([expect.stringContaining('is not recognized as written'), 2]);
    const lenient = await warningOf(server.speak({ ...body, max_word_errors: 1 }));
    expect([lenient, endpoint.requests.length]).toEqual([null, 3]);
    await expectError(server.speak({ ...body, max_word_errors: 2 }), 400, { param: 'max_word_errors' });
  });

  const upload = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    server.send('/v1/voices', { ...fields, audio: wavOf(0.5) });

  it('transcribes uploaded voices without transcript', async () => {
    await using endpoint = await startEndpoint(says('What she says.'));
    await start(await openRecognizer(endpoint.url, {}));
    const anna = { prompt_text: 'What she says.', roles: ['prompt'] };
    expect(await (await upload({ id: 'anna' })).json()).toMatchObject(anna);
    expect(await (await upload({ id: 'ben', text: ' ' })).json()).toMatchObject({ prompt_text: 'What she says.' });
    expect(await (await upload({ id: 'cy', text: 'By hand.' })).json()).toMatchObject({ prompt_text: 'By hand.' });
    expect(endpoint.requests).toHaveLength(2);
  });

  it('stores no voice without words', async () => {
    await using endpoint = await startEndpoint(says(''), (_, response) => response.writeHead(500).end());
    await start(await openRecognizer(endpoint.url, {}));
    await expectError(upload({ id: 'anna' }), 400, { param: 'text' });
    await expectError(upload({ id: 'anna' }), 502, { message: expect.stringContaining('answered 500') });
    expect(await server.store.list()).toEqual([]);
  });
});

it('a client does not see the address of a recognizer that fails', async () => {
  const address = 'http://127.0.0.1:1/v1';
  await start(await openRecognizer(address, {}));
  const failed = server.send('/v1/voices', { id: 'anna', audio: wavOf(1, 0.5) });
  await expectError(failed, 502, /^the recognizer at … cannot be reached: /);
  expect(server.log.join('')).toContain('the recognizer at http://127.0.0.1:1 cannot be reached');
});
