import { describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { keyFor } from '../../src/recognition/endpoint-recognizer.ts';
import { openRecognizer } from '../../src/recognition/open-recognizer.ts';
import { expectError } from '../support/errors.ts';
import { createGate } from '../support/gate.ts';
import { type Answer, says, startEndpoint } from './fake-endpoint.ts';

const audio = { samples: new Float32Array(1600).fill(0.25), sampleRate: 16_000 };
const never = new AbortController().signal;

describe('an endpoint', () => {
  it.each([
    ['', '/v1/audio/transcriptions'],
    ['/', '/v1/audio/transcriptions'],
    ['/v1', '/v1/audio/transcriptions'],
    ['/v1/', '/v1/audio/transcriptions'],
    ['/v1/audio/transcriptions', '/v1/audio/transcriptions'],
    ['/inference', '/inference'],
  ])('is found from %j', async (given, path) => {
    await using endpoint = await startEndpoint(says(' Hello there. '));
    const recognize = await openRecognizer(`${endpoint.url}${given}`, {});
    expect(await recognize(audio, never)).toBe('Hello there.');
    expect(endpoint.requests[0]?.path).toBe(path);
  });

  it('gets the recording as a form, with the parameters of the URL', async () => {
    await using endpoint = await startEndpoint(says('Hi.'));
    await (await openRecognizer(endpoint.url, {}))(audio, never);
    await (await openRecognizer(`${endpoint.url}/v1?model=large-v3&language=de`, {}))(audio, never);
    const [plain, named] = endpoint.requests.map(({ form }) => Object.fromEntries(form));
    expect(plain).toMatchObject({ model: 'whisper-1', response_format: 'json' });
    expect(named).toMatchObject({ model: 'large-v3', language: 'de' });
    const file = plain?.file as File;
    expect([file.name, file.type]).toEqual(['speech.wav', 'audio/wav']);
    const received = decodeWav(new Uint8Array(await file.arrayBuffer()));
    expect([received.sampleRate, received.samples.length]).toEqual([16_000, 1600]);
    expect(received.samples[0]).toBeCloseTo(0.25, 3);
  });

  it('gets SVC_CHECK_KEY, but never the key for another host', async () => {
    await using endpoint = await startEndpoint(says('Hi.'));
    await (await openRecognizer(endpoint.url, { SVC_CHECK_KEY: 'one', OPENAI_API_KEY: 'two' }))(audio, never);
    await (await openRecognizer(endpoint.url, { OPENAI_API_KEY: 'two' }))(audio, never);
    expect(endpoint.requests.map(({ key }) => key)).toEqual(['Bearer one', undefined]);
  });

  it.each([
    ['https://api.openai.com/v1', 'two'],
    ['http://api.openai.com/v1', undefined],
    ['https://api.openai.com:8443/v1', undefined],
    ['https://api.openai.com.example.org/v1', undefined],
  ])('gets OPENAI_API_KEY only at OpenAI, over TLS: %s', (url, key) => {
    expect(keyFor(new URL(url), { OPENAI_API_KEY: 'two' })).toBe(key);
  });

  it('cannot show the key or control a terminal in an error', async () => {
    await using endpoint = await startEndpoint((request, response) => {
      const message = `\u001b[31mWrong\u202e key ${request.headers.authorization}`;
      response.writeHead(401).end(JSON.stringify({ error: { message } }));
    });
    const hearing = (await openRecognizer(endpoint.url, { SVC_CHECK_KEY: 'se"cret' }))(audio, never);
    await expect(hearing).rejects.toThrow(`the recognizer at ${endpoint.url} answered 401: [31mWrong key Bearer ***`);
    const broken = (await openRecognizer(endpoint.url, { SVC_CHECK_KEY: 'sec\nret' }))(audio, never);
    await expect(broken).rejects.not.toThrow(/ret/);
  });

  it.each([302, 307])('is not left for another by a redirect: %i', async (status) => {
    await using other = await startEndpoint(says('Hi.'));
    await using endpoint = await startEndpoint((_, response) =>
      response.writeHead(status, { location: other.url }).end(),
    );
    const hearing = (await openRecognizer(endpoint.url, { SVC_CHECK_KEY: 'one' }))(audio, never);
    await expect(hearing).rejects.toThrow(
      `the recognizer at ${endpoint.url} answered ${status}: redirects are not followed; name the final URL`,
    );
    expect(other.requests).toEqual([]);
  });

  it('is left when its answer does not end', async () => {
    const hungUp = createGate();
    await using endpoint = await startEndpoint((_, response) => {
      const more = (): void => {
        while (response.write(' '.repeat(65_536)));
      };
      response.on('drain', more).on('close', hungUp.open);
      more();
    });
    const hearing = (await openRecognizer(endpoint.url, {}))(audio, never);
    await expect(hearing).rejects.toThrow('answered with more than 1 MiB; is it a transcription endpoint?');
    await hungUp.passed;
  });

  const json =
    (status: number, value: unknown): Answer =>
    (_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

  it.each([
    [json(401, { error: { message: 'Incorrect API key provided.' } }), 'answered 401: Incorrect API key provided.'],
    [json(400, { error: 'bad\nfile' }), 'answered 400: bad file'],
    [json(500, 'oops'), 'answered 500'],
    [json(200, { transcript: 'Hi.' }), 'answered without a transcript; is it a transcription endpoint?'],
    [(_, response) => response.end('<html>'), 'answered without a transcript; is it a transcription endpoint?'],
    [(_, response) => response.destroy(), 'cannot be reached: the connection was lost'],
  ] satisfies readonly (readonly [Answer, string])[])('reports a failure in one line: %#', async (answer, problem) => {
    await using endpoint = await startEndpoint(answer);
    const hearing = (await openRecognizer(endpoint.url, {}))(audio, never);
    await expectError(hearing, 'NETWORK', `the recognizer at ${endpoint.url} ${problem}`);
  });

  it('reports that nothing listens', async () => {
    const endpoint = await startEndpoint(says('Hi.'));
    await endpoint[Symbol.asyncDispose]();
    const failing = (await openRecognizer(endpoint.url, {}))(audio, never);
    await expectError(failing, 'NETWORK', `the recognizer at ${endpoint.url} cannot be reached: connection refused`);
  });

  it('is left when the signal fires', async () => {
    const [asked, hungUp] = [createGate(), createGate()];
    await using endpoint = await startEndpoint((_, response) => {
      response.on('close', hungUp.open);
      asked.open();
    });
    const controller = new AbortController();
    const hearing = (await openRecognizer(endpoint.url, {}))(audio, controller.signal);
    await asked.passed;
    controller.abort();
    await expect(hearing).rejects.toMatchObject({ name: 'AbortError' });
    await hungUp.passed;
  });
});
