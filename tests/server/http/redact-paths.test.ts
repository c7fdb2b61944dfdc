import { expect, it } from '@jest/globals';
import { redactPaths } from '../../../src/server/http/redact-paths.ts';

it.each([
  ['cannot read /srv/voices/anna.wav: no such file', 'cannot read …/anna.wav: no such file'],
  ['expected a file (/home/me/anna.wav)', 'expected a file (…/anna.wav)'],
  ['cannot read "/home/me/anna.wav"', 'cannot read "…/anna.wav"'],
  ['cannot read /srv/My voices/anna.wav: no such file', 'cannot read …/anna.wav: no such file'],
  ['cannot read /srv/My own voices/a b/anna.wav', 'cannot read …/anna.wav'],
  ['cannot read "/srv/My voices, (old)/anna b.wav": no such file', 'cannot read "…/anna b.wav": no such file'],
  ['cannot read C:\\My Files\\anna.wav, retry', 'cannot read …/anna.wav, retry'],
  ['the folder /srv/voices is not writable', 'the folder …/voices is not writable'],
  ['cannot move /srv/a.wav to /tmp/b.wav', 'cannot move …/a.wav to …/b.wav'],
  ['cannot read C:\\Users\\me\\anna.wav', 'cannot read …/anna.wav'],
  ['no answer at redis://me:secret@10.0.0.5:6379/2, retry', 'no answer at …, retry'],
  ['no answer at postgres://me@db.internal/voices', 'no answer at …'],
  ['failed: connect ECONNREFUSED 10.0.0.5:6379', 'failed: connect ECONNREFUSED'],
  ['failed: connect ECONNREFUSED ::1:6379', 'failed: connect ECONNREFUSED'],
  ['failed: getaddrinfo ENOTFOUND redis.internal', 'failed: getaddrinfo ENOTFOUND'],
  ['failed: connect ENOENT /run/redis.sock', 'failed: connect ENOENT …/redis.sock'],
  ['cannot write /tmp: read-only', 'cannot write …/tmp: read-only'],
  ["cannot read /srv/O'Brien/secret/anna.wav: no such file", 'cannot read …/anna.wav: no such file'],
  ["ENOENT, open '/srv/O'Brien/x y/anna.wav'", "ENOENT, open '…/anna.wav'"],
  ['cannot read /srv/a, b/(old) c/anna.wav: no such file', 'cannot read …/anna.wav: no such file'],
  ['cannot read /srv/a: b/c:d/anna.wav: no such file', 'cannot read …/anna.wav: no such file'],
  ['cannot read /srv/(old) b/anna.wav, /srv/c.wav; use /tmp/x', 'cannot read …/anna.wav, …/c.wav; use …/x'],
  ['cannot read /srv/x.wav: it is audio/mpeg and/or HTTP/1.1', 'cannot read …/x.wav: it is audio/mpeg and/or HTTP/1.1'],
  ['cannot read \\\\server\\share\\My voices\\anna.wav: gone', 'cannot read …/anna.wav: gone'],
  ['cannot read //nas/share/anna.wav: gone', 'cannot read …/anna.wav: gone'],
  ['see https://example.com/a or ws://host/b', 'see https://example.com/a or ws://host/b'],
  ['cannot read "\\\\\\\\server\\\\share\\\\anna.wav": gone', 'cannot read "…/anna.wav": gone'],
  ["cannot read C:\\Users\\O'Brien, (x)\\anna.wav: gone", 'cannot read …/anna.wav: gone'],
  ['cannot read C:/Users/me/anna.wav', 'cannot read …/anna.wav'],
  ['cannot read "/srv/a\\"b/anna.wav": gone', 'cannot read "…/anna.wav": gone'],
  ['path:/srv/x/y.wav, [/srv/x/z.wav], `~/x/w.wav`', 'path:…/y.wav, […/z.wav], `…/w.wav`'],
  [`cannot read ${'/a'.repeat(20_000)}/b.wav, retry`, 'cannot read …/b.wav, retry'],
])('shortens %j', (message, shown) => {
  expect(redactPaths(message)).toBe(shown);
});

it.each([
  'the content type must be multipart/form-data, got "audio/wav"',
  'cfg_value must be a number from 0 to 10, got 11',
  'allow this origin with --cors-origin https://app.example:8443/speech',
  'no connection (ECONNREFUSED); retry later',
  'unknown voice "anna" (available: bert, carl; see GET /v1/voices)',
  '1/2, and/or 3',
  'see http://[::1]:80/x and <speak></speak>',
])('does not change %j', (message) => {
  expect(redactPaths(message)).toBe(message);
});

it('takes time in proportion to the message', () => {
  // Each of these took seconds with patterns that begin again at every character.
  for (const message of [
    ' /a'.repeat(40_000),
    '"/a '.repeat(40_000),
    `/${'a'.repeat(120_000)}`,
    'redis://'.repeat(15_000),
    "/a'b, (c: ".repeat(15_000),
    `"/a${'\\\\'.repeat(60_000)}`,
    `/a ${'audio/x '.repeat(15_000)}`,
  ]) {
    expect(redactPaths(message)).not.toBe(message);
  }
});
