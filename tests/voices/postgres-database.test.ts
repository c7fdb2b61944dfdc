import { expect, it } from '@jest/globals';
import { openPostgres } from '../../src/voices/postgres-database.ts';
import { expectError } from '../support/errors.ts';

it.each([
  ['voices', ''],
  ['mysql://localhost/voices', ', not mysql:'],
])('refuses the address %s', (url, reason) =>
  expect(openPostgres(url)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: `SVC_DATABASE_URL must be an address such as postgres://user@host/database${reason}`,
  }),
);

it('names the server that it cannot reach, without the password', () =>
  expectError(
    openPostgres('postgres://me:secret@127.0.0.1:1/voices'),
    'BACKEND_UNAVAILABLE',
    /^cannot reach PostgreSQL at postgres:\/\/127\.0\.0\.1:1\/voices: /,
  ));
