import { describe, expect, it } from '@jest/globals';
import { errorOf } from './start-server.ts';
import { expectError, sharedServer } from './test-server.ts';

const server = sharedServer();

describe('POST /v1/audio/speech', () => {
  it.each([
    ['no input', {}, 'input'],
    ['an empty input', { input: '  ' }, 'input'],
    ['an input of another type', { input: 5 }, 'input'],
    ['an unknown format', { input: 'a', response_format: 'midi' }, 'response_format'],
    ['a speed out of range', { input: 'a', speed: 5 }, 'speed'],
    ['guidance out of range', { input: 'a', cfg_value: 11 }, 'cfg_value'],
    ['no timesteps', { input: 'a', inference_timesteps: 0 }, 'inference_timesteps'],
    ['no patches', { input: 'a', max_length: 0 }, 'max_length'],
    ['lengths that contradict each other', { input: 'a', min_length: 10, max_length: 5 }, 'min_length'],
    ['an unknown stream format', { input: 'a', stream_format: 'x' }, 'stream_format'],
    ['a voice of another type', { input: 'a', voice: 5 }, 'voice'],
    ['a voice that is a path', { input: 'a', voice: '../x' }, 'name'],
    ['a text that is too long', { input: 'a'.repeat(65_537) }, 'input'],
    ['a path that is too long', { input: 'a', prompt_wav_path: '/a'.repeat(20_000) }, 'prompt_wav_path'],
  ])('refuses %s before it takes a slot', async (_, body, subject) => {
    const response = await server.speak(body);
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'bad_request' });
    expect(error.message).toMatch(/ must be .*, got | is required$| must not exceed |; the limit is /);
    expect(error.message).toContain(subject);
    expect(server.backend.calls).toEqual([]);
    expect(response.headers.get('x-job-id')).toBeNull();
  });

  it('quotes what a message needs, with a bound', async () => {
    const long = '/a'.repeat(7000);
    const speak = (headers: Record<string, string>) => server.speak({ input: 'a' }, { headers });
    const deadline = await speak({ 'X-Deadline-Seconds': long });
    const coding = await speak({ 'Content-Encoding': long });
    const path = await server.post('/v1/loras', { name: 'a', path: long });
    for (const response of [deadline, coding, path]) {
      expect(response.status).toBeLessThan(500);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect((await errorOf(response)).message.length).toBeLessThan(400);
    }
  });

  it.each([
    ['an unknown voice', { input: 'a', voice: 'nobody' }, 404, 'voice_not_found'],
    ['a path outside the folders', { input: 'a', prompt_wav_path: '/etc/passwd', prompt_text: 'x' }, 403, 'forbidden'],
    ['a path upwards', { input: 'a', prompt_wav_path: '../../etc/passwd', prompt_text: 'x' }, 403, 'forbidden'],
    ['an unsupported rate', { input: 'a', sample_rate: 22_051, response_format: 'mp3' }, 415, 'unsupported_audio'],
  ])('refuses %s', async (_, body, status, code) => {
    const response = await server.speak(body);
    await expectError(response, status, { code });
    expect(response.headers.get('x-job-id')).toBeNull();
  });

  it.each(['events=other', 'events=native&events=public'])('refuses %s', async (query) => {
    const refused = server.post(`/v1/audio/speech?${query}`, { input: 'a', stream_format: 'sse' });
    await expectError(refused, 400, /^events must be public or native, got /);
  });

  it.each([
    [[], 'an empty array'],
    [5, '5'],
    [null, 'null'],
    ['text', '"text"'],
  ])('refuses the body %j', async (body, shown) => {
    const request = { method: 'POST', body: JSON.stringify(body) };
    await expectError(server.fetch('/v1/audio/speech', request), 400, `the body must be a JSON object, got ${shown}`);
  });

  const path = { prompt_wav_path: 'a.wav', prompt_text: 'a' };
  it.each([
    ['an unknown voice', 404, 'voice', () => server.speak({ input: 'a', voice: 'nobody' })],
    ['an invalid voice name', 400, 'voice', () => server.speak({ input: 'a', voice: '..' })],
    ['an unknown voice', 404, 'id', () => server.fetch('/v1/voices/nobody')],
    ['an unknown voice', 404, 'id', () => server.remove('/v1/voices/nobody')],
    ['an invalid name', 400, 'voice_name', () => server.post('/v1/voices', { voice_name: '..', ...path })],
  ])('of %s: status %d names the field %s', async (_, status, param, send) => {
    const message = status === 404 ? /^unknown voice "nobody" \(.*; see GET \/v1\/voices\)$/ : /./;
    await expectError(send(), status, { param, message });
  });
});

it.each([
  ['a form', () => new URLSearchParams([...Array(60).keys()].map((field): [string, string] => [`field${field}`, '1']))],
  [
    'a form with files',
    () => [...Array(60).keys()].reduce((form, field) => appended(form, `field${field}`), new FormData()),
  ],
])('refuses %s with too many fields', async (_, body) => {
  await expectError(server.fetch('/tts', { method: 'POST', body: body() }), 400, 'the form has more than 32 fields');
});

function appended(form: FormData, name: string): FormData {
  form.append(name, '1');
  return form;
}

it('refuses a form where JSON is expected, whatever fields it has', async () => {
  const response = server.fetch('/v1/audio/speech', { method: 'POST', body: appended(new FormData(), 'input') });
  await expectError(response, 400, 'the body must be a JSON object, got a form');
});

it('refuses a malformed URL', async () => {
  await expectError(server.fetch('/v1/voices/%E0%A4%A'), 400, 'the URL is malformed: it contains a stray %');
});
