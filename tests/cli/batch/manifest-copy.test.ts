import { readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { copyManifest } from '../../../src/cli/batch/manifest-copy.ts';
import type { OutputTarget } from '../../../src/cli/batch/output-target.ts';
import { freshFolder } from '../../support/test-folder.ts';

const folder = freshFolder();
let stored: Buffer | undefined;
let uploads: unknown[];
beforeEach(() => {
  stored = undefined;
  uploads = [];
});

const begin = () => {
  const place: Pick<OutputTarget, 'manifest' | 'objects' | 'pathOf'> = {
    manifest: folder.join('manifest.jsonl'),
    pathOf: (file) => `s3://bucket/${file}`,
    objects: {
      size: async () => stored?.length,
      async upload(path, url, { mimeType }) {
        stored = await readFile(path);
        uploads.push([url, mimeType, stored.toString()]);
      },
      download: (_url, path) => writeFile(path, stored ?? ''),
    },
  };
  return copyManifest(place as OutputTarget, new AbortController().signal, () => undefined);
};
const manifest = () => readFile(folder.join('manifest.jsonl'), 'utf8');

describe('copyManifest', () => {
  it('uploads at the end what the copy lacks', async () => {
    await writeFile(folder.join('manifest.jsonl'), 'one\n');
    const copy = await begin();
    await copy.finish();
    await copy.finish();
    expect(uploads).toEqual([[expect.stringMatching(/^s3:\/\/bucket\/./), 'application/x-ndjson', 'one\n']]);
  });

  it('goes on with a copy that has more entries, and leaves it if nothing follows', async () => {
    await writeFile(folder.join('manifest.jsonl'), 'one\n');
    stored = Buffer.from('one\ntwo\n');
    const copy = await begin();
    expect(await manifest()).toBe('one\ntwo\n');
    await copy.finish();
    expect(uploads).toEqual([]);
  });

  it('keeps a manifest that has more entries than the copy', async () => {
    await writeFile(folder.join('manifest.jsonl'), 'one\ntwo\n');
    stored = Buffer.from('one\n');
    const copy = await begin();
    expect(await manifest()).toBe('one\ntwo\n');
    copy.stop();
    expect(stored.toString()).toBe('one\n');
  });
});
