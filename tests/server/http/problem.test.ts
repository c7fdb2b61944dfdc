import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { SvcError, toSvcError } from '../../../src/errors.ts';
import { elevenlabs } from '../../../src/server/dialects/elevenlabs/elevenlabs.ts';
import { fastApiErrors, problemOf } from '../../../src/server/http/problem.ts';
import { loggedPath } from '../../../src/server/middleware/log.ts';

it('cuts what a library quotes without a bound', () => {
  const { message } = problemOf(new SvcError('INVALID_REQUEST', `cannot read ${'a'.repeat(40_000)}`));
  expect(message.length).toBeLessThanOrEqual(4000);
});

it('says what the machine has run out of, and not where', async () => {
  const full = toSvcError(await writeFile('/dev/full', 'x').catch((error: unknown) => error));
  const wrapped = new SvcError('IO', 'cannot write /srv/x: no space left on device', { cause: full });
  for (const error of [full, wrapped]) {
    expect(problemOf(error)).toEqual({
      ...{ status: 503, type: 'server_error', code: 'disk_full', detail: undefined },
      message: 'the disk of the server is full; retry later',
    });
  }
  const files = Object.assign(new Error("EMFILE: too many open files, open '/srv/x'"), { code: 'EMFILE' });
  const message = 'the server has reached its limit of open files; retry later';
  expect(problemOf(files, elevenlabs.errors)).toMatchObject({
    ...{ status: 503, code: 'too_many_open_files', message },
    detail: { status: 'too_many_open_files', message },
  });
});

it.each([
  ['/v1/voices/anna/audio?x=1', '/v1/voices/…/audio'],
  ['//v1/voices/anna', '//v1/voices/…'],
  ['/v1/audio/voices/anna%20b', '/v1/audio/voices/…'],
  ['/v1/text-to-speech/anna/stream-input', '/v1/text-to-speech/…/stream-input'],
  ['/v1/voices/settings/default', '/v1/voices/settings/default'],
  ['/v1/voices/add', '/v1/voices/add'],
  ['/v1/voices', '/v1/voices'],
])('the log shows %s as %s', (url, shown) => {
  expect(loggedPath(url)).toBe(shown);
});

it('locates the validation errors of FastAPI by names and numbers', () => {
  const { error } = z.object({ list: z.array(z.string()) }).safeParse({ list: ['a', 5] }, { reportInput: true });
  const refused = new SvcError('INVALID_REQUEST', 'list is wrong', { cause: error });
  const { status, detail } = problemOf(refused, fastApiErrors, 'query');
  expect([status, detail]).toMatchObject([422, [{ type: 'value_error', loc: ['query', 'list', 1] }]]);
  expect(problemOf(refused)).toMatchObject({ status: 400, detail: undefined });
});
