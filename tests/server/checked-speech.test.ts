import { afterEach, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import type { Recognize } from '../../src/engine/recognize.ts';
import { openRecognizer } from '../../src/recognition/open-recognizer.ts';
import { says, startEndpoint } from '../recognition/fake-endpoint.ts';
import { errorOf, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
afterEach(() => server.close());

const start = async (recognize?: Recognize): Promise<void> => {
  server = await startServer({ recognize, backend: { stopAt: 4, info: { contextLength: 100_000 } } });
};

describe('a server with a recognizer', () => {
  it('checks requests that ask for retries, not streams', async () => {
    await using endpoint = await startEndpoint(says('no'), says('one two'));
    await start(await openRecognizer(endpoint.url, {}));
    const body = { input: 'one two', response_format: 'pcm', seed: 7 };
    await (await server.speak(body)).arrayBuffer();
    expect([endpoint.requests.length, server.backend.opened.length]).toEqual([0, 1]);
    await (await server.speak({ ...body, retry_badcase: true })).arrayBuffer();
    expect([endpoint.requests.length, server.backend.opened.length]).toEqual([2, 3]);
  });

  it('warns of words that stay wrong, and takes the options of a request', async () => {
    await using endpoint = await startEndpoint(says('no'));
    await start(await openRecognizer(endpoint.url, {}));
    const body = { input: 'one two', response_format: 'pcm', retry_badcase: true };
    const response = await server.speak({ ...body, retry_badcase_max_times: 2 });
    expect(response.headers.get('warning')).toContain('the speech is not recognized as written');
    await response.arrayBuffer();
    expect(endpoint.requests).toHaveLength(2);
    const lenient = await server.speak({ ...body, max_word_errors: 1 });
    expect([lenient.headers.get('warning'), endpoint.requests.length]).toEqual([null, 3]);
    await lenient.arrayBuffer();
    const invalid = await server.speak({ ...body, max_word_errors: 2 });
    expect(await errorOf(invalid)).toMatchObject({ param: 'max_word_errors' });
  });

  const upload = (fields: Readonly<Record<string, string>>): Promise<Response> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('audio', new Blob([new Uint8Array(encodeWav(new Float32Array(8000).fill(0.1), 16_000))]), 'a.wav');
    return fetch(`${server.url}/v1/voices`, { method: 'POST', body: form });
  };

  it('transcribes uploaded voices without transcript', async () => {
    await using endpoint = await startEndpoint(says('What she says.'));
    await start(await openRecognizer(endpoint.url, {}));
    expect(await (await upload({ id: 'anna' })).json()).toMatchObject({ id: 'anna', prompt_text: 'What she says.' });
    expect(await (await upload({ id: 'ben', text: ' ' })).json()).toMatchObject({ prompt_text: 'What she says.' });
    expect(await (await upload({ id: 'cy', text: 'By hand.' })).json()).toMatchObject({ prompt_text: 'By hand.' });
    expect(endpoint.requests).toHaveLength(2);
  });

  it('stores no voice without words', async () => {
    await using endpoint = await startEndpoint(says(''), (_, response) => response.writeHead(500).end());
    await start(await openRecognizer(endpoint.url, {}));
    const wordless = await upload({ id: 'anna' });
    expect([wordless.status, await errorOf(wordless)]).toMatchObject([400, { param: 'text' }]);
    const failed = await upload({ id: 'anna' });
    expect([failed.status, (await errorOf(failed)).message]).toEqual([502, expect.stringContaining('answered 500')]);
    expect(await server.store.list()).toEqual([]);
  });

  it('still needs a transcript without one', async () => {
    await start();
    const refused = await upload({ id: 'anna' });
    expect([refused.status, await errorOf(refused)]).toMatchObject([
      400,
      { param: 'text', message: expect.stringMatching(/^text is required: .*--check-with/) },
    ]);
  });
});

it('a client does not see the address of a recognizer that fails', async () => {
  const address = 'http://127.0.0.1:1/v1';
  await start(await openRecognizer(address, {}));
  const form = new FormData();
  form.set('id', 'anna');
  form.set('audio', new Blob([Uint8Array.from(encodeWav(new Float32Array(16_000).fill(0.5), 16_000))]), 'a.wav');
  const failed = await fetch(`${server.url}/v1/voices`, { method: 'POST', body: form });
  expect([failed.status, (await errorOf(failed)).message]).toEqual([
    502,
    expect.stringMatching(/^the recognizer at … cannot be reached: /),
  ]);
  expect(server.log.join('')).toContain('the recognizer at http://127.0.0.1:1 cannot be reached');
});
