import { describe, expect, it } from '@jest/globals';
import { createObjectStore, isObjectUrl, parseFolderUrl } from '../../src/speech-files/object-store.ts';

describe('addresses of buckets', () => {
  it.each([
    ['s3://bucket', 's3://bucket'],
    ['s3://my.bucket-1/', 's3://my.bucket-1'],
    ['s3://bucket/a folder/b/', 's3://bucket/a folder/b'],
  ])('%j names a folder', (text, folder) => {
    expect([isObjectUrl(text), parseFolderUrl(text, '--output-dir')]).toEqual([true, folder]);
  });

  it.each(['s3://', 's3:bucket', 's3://b', 's3://-bucket/x'])('%j is refused', (text) => {
    expect(isObjectUrl(text)).toBe(true);
    expect(() => parseFolderUrl(text, '--output-dir')).toThrow(
      `--output-dir must be a folder, or a bucket such as s3://bucket/prefix, got "${text}"`,
    );
  });

  it('are told from paths', () => {
    expect(['spoken', '/s3/x', 'C:\\spoken', './s3:x'].filter(isObjectUrl)).toEqual([]);
  });
});

it('names a store that does not answer', async () => {
  const store = createObjectStore({ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' });
  await expect(store.size('s3://bucket/file')).rejects.toMatchObject({
    code: 'IO',
    message: expect.stringMatching(/^cannot read s3:\/\/bucket\/file: /),
  });
});
