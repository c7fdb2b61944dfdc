import { expect, it } from '@jest/globals';
import { hidePlaces } from '../../src/server/hide-places.ts';

it.each([
  [
    'expected a readable file for /srv/voices/anna.wav, received none',
    'expected a readable file for …/anna.wav, received none',
  ],
  ['expected a file (/home/me/anna.wav)', 'expected a file (…/anna.wav)'],
  ['expected a file, received "/home/me/anna.wav"', 'expected a file, received "…/anna.wav"'],
  ['expected a file, received C:\\Users\\me\\anna.wav', 'expected a file, received …/anna.wav'],
  ['no answer at redis://me:secret@10.0.0.5:6379/2, retry', 'no answer at …, retry'],
  ['no answer at postgres://me@db.internal/voices', 'no answer at …'],
  ['received: connect ECONNREFUSED 10.0.0.5:6379', 'received: connect ECONNREFUSED'],
  ['received: connect ECONNREFUSED ::1:6379', 'received: connect ECONNREFUSED'],
  ['received: getaddrinfo ENOTFOUND redis.internal', 'received: getaddrinfo ENOTFOUND'],
  ['received: connect ENOENT /run/redis.sock', 'received: connect ENOENT …/redis.sock'],
])('shortens %j', (message, shown) => {
  expect(hidePlaces(message)).toBe(shown);
});

it.each([
  'expected multipart/form-data for the content type, received audio/wav',
  'expected a number from 0 to 10 for cfg_value, received 11',
  'allow this origin with --cors-origin https://app.example:8443/speech',
  'received no connection (ECONNREFUSED); try again later',
  'unknown voice "anna" (available: bert, carl; see svc voices list)',
  'received 1/2, and/or 3',
])('leaves %j', (message) => {
  expect(hidePlaces(message)).toBe(message);
});
