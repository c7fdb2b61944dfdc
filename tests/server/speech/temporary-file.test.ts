import { describe, expect, it } from '@jest/globals';
import { createTemporaryFiles } from '../../../src/server/speech/temporary-file.ts';
import { collect } from '../../support/collect.ts';
import { freshFolder } from '../../support/test-folder.ts';

const folder = freshFolder();
const bytes = (length: number) => [{ bytes: new Uint8Array(length).fill(7) }];

describe('createTemporaryFiles', () => {
  it('takes as many bytes as its limit, of all open files together', async () => {
    const open = createTemporaryFiles(10, folder.path);
    const [first, second] = [await open(), await open()];
    await first.write(bytes(6));
    await second.write(bytes(4));
    await expect(second.write(bytes(1))).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      message: expect.stringContaining('limit of 10 bytes'),
    });
    expect([await first.size(), await second.size()]).toEqual([6, 4]);
    expect(Buffer.concat(await collect(second.read()))).toEqual(Buffer.alloc(4, 7));
    await first.close();
    await first.close();
    await second.write(bytes(6));
    await expect(second.write(bytes(1))).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    await second.close();
    const third = await open();
    await third.write(bytes(10));
    await third.close();
  });
});
