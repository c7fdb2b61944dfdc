import { expect, it } from '@jest/globals';
import { createTemporaryFiles } from '../../../src/server/context/temporary-file.ts';
import { collect } from '../../support/collect.ts';
import { freshFolder } from '../../support/test-folder.ts';

const folder = freshFolder();
const bytes = (length: number) => [{ bytes: new Uint8Array(length).fill(7) }];

it('takes as many bytes as its limit, of all open files together', async () => {
  const files = createTemporaryFiles(40, folder.path);
  const open = await Promise.all(Array.from({ length: 4 }, () => files.ofRequest(undefined)()));
  for (const file of open) await file.write(bytes(9));
  const last = await files.ofRequest(undefined)();
  await last.write(bytes(4));
  await expect(last.write(bytes(1))).rejects.toMatchObject({
    code: 'QUEUE_FULL',
    message: expect.stringContaining('limit of 40 bytes'),
  });
  expect(await last.size()).toBe(4);
  expect(Buffer.concat(await collect(last.read()))).toEqual(Buffer.alloc(4, 7));
  await open[0]?.close();
  await open[0]?.close();
  await last.write(bytes(6));
  for (const file of [...open, last]) await file.close();
  const again = await files.ofRequest(undefined)();
  await again.write(bytes(10));
  await again.close();
});

it('takes a quarter of them for the files of a request', async () => {
  const open = createTemporaryFiles(40, folder.path).ofRequest('anna');
  const [first, second] = [await open(), await open()];
  await first.write(bytes(6));
  await second.write(bytes(4));
  await expect(second.write(bytes(1))).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: expect.stringContaining('the limit of 10 bytes'),
  });
  await first.close();
  await second.write(bytes(6));
  await second.close();
});

it('takes a quarter of them for the requests of an API key', async () => {
  const files = createTemporaryFiles(40, folder.path);
  const open = (key: string) => files.ofRequest(key)();
  const [first, second, other] = [await open('anna'), await open('anna'), await open('ben')];
  await first.write(bytes(6));
  await second.write(bytes(4));
  await expect(second.write(bytes(1))).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringContaining('of this API key have reached their limit of 10 bytes'),
  });
  await other.write(bytes(10));
  await first.close();
  await second.write(bytes(6));
  for (const file of [second, other]) await file.close();
  const later = await files.ofRequest('anna')();
  await later.write(bytes(10));
  await later.close();
});
