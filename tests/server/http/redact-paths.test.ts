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
  ]) {
    expect(redactPaths(message)).not.toBe(message);
  }
});
