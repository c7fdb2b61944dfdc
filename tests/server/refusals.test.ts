import { describe, expect, it } from '@jest/globals';
import { readRows } from '../support/rows.ts';
import { errorOf } from './start-server.ts';
import { expectError, sharedServer } from './test-server.ts';

const server = sharedServer();

/** JSON that no server takes, in the dialect of its path. */
const rows = readRows<'path' | 'body' | 'status' | 'code' | 'param' | 'message'>('tests/server/refusals.tsv');

it.each(rows)('POST $path refuses $body: $message', async ({ path, body, status, code, param, message }) => {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
  const response = await server.fetch(path, init);
  const error = await errorOf(response);
  const type = code === 'forbidden' ? 'permission_error' : 'invalid_request_error';
  const expected = {
    type,
    code,
    param: param || null,
    message: expect.stringContaining(message),
  };
  expect({ status: response.status, ...error }).toEqual({ status: Number(status), ...expected });
  expect(error.message).not.toContain('\n');
  expect(server.backend.calls).toEqual([]);
  expect(response.headers.get('x-job-id')).toBeNull();
});

describe('POST /v1/audio/speech', () => {
  it.each([
    ['a text that is too long', { input: 'a'.repeat(65_537) }, /^input .*; the limit is /],
    ['a path that is too long', { input: 'a', prompt_wav_path: '/a'.repeat(20_000) }, /^prompt_wav_path must be /],
  ])('refuses %s before it takes a slot', async (_, body, message) => {
    const response = await server.speak(body);
    await expectError(response, 400, { type: 'invalid_request_error', code: 'bad_request', message });
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

  it.each(['GET', 'DELETE'])('of an unknown voice names the field of the address: %s', async (method) => {
    const message = /^unknown voice "nobody" \(.*; see GET \/v1\/voices\)$/;
    await expectError(server.fetch('/v1/voices/nobody', { method }), 404, { param: 'id', message });
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
