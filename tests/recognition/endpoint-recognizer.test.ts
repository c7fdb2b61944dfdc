import { describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/wav.ts';
import { openRecognizer } from '../../src/recognition/open-recognizer.ts';
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
    const heard = decodeWav(new Uint8Array(await file.arrayBuffer()));
    expect([heard.sampleRate, heard.samples.length]).toEqual([16_000, 1600]);
    expect(heard.samples[0]).toBeCloseTo(0.25, 3);
  });

  it('gets SVC_CHECK_KEY, but never the key for another host', async () => {
    await using endpoint = await startEndpoint(says('Hi.'));
    await (await openRecognizer(endpoint.url, { SVC_CHECK_KEY: 'one', OPENAI_API_KEY: 'two' }))(audio, never);
    await (await openRecognizer(endpoint.url, { OPENAI_API_KEY: 'two' }))(audio, never);
    expect(endpoint.requests.map(({ key }) => key)).toEqual(['Bearer one', undefined]);
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
    await expect(hearing).rejects.toMatchObject({
      code: 'NETWORK',
      message: `the recognizer at ${endpoint.url} ${problem}`,
    });
  });

  it('reports that nothing listens', async () => {
    const endpoint = await startEndpoint(says('Hi.'));
    await endpoint[Symbol.asyncDispose]();
    await expect((await openRecognizer(endpoint.url, {}))(audio, never)).rejects.toMatchObject({
      code: 'NETWORK',
      message: `the recognizer at ${endpoint.url} cannot be reached: connection refused`,
    });
  });

  it('is left when the signal fires', async () => {
    let arrived = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let hungUp = false;
    await using endpoint = await startEndpoint((_, response) => {
      response.on('close', () => {
        hungUp = true;
      });
      arrived();
    });
    const controller = new AbortController();
    const hearing = (await openRecognizer(endpoint.url, {}))(audio, controller.signal);
    await asked;
    controller.abort();
    await expect(hearing).rejects.toMatchObject({ name: 'AbortError' });
    while (!hungUp) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
