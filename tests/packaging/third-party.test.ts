import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileSources } from '../../scripts/compile-sources.ts';
import { describeThirdParty } from '../../scripts/third-party/describe-third-party.ts';
import { buildPage } from '../../scripts/web/build-page.ts';
import { sharedFolder } from '../support/test-folder.ts';

const root = process.cwd();

const folder = sharedFolder();
let expected: string;
beforeAll(async () => {
  const pages = [await buildPage('local', folder), await buildPage('playground', join(folder, 'playground'))];
  expected = await describeThirdParty(root, { inlined: await compileSources(folder), pages });
});

describe('THIRD_PARTY.md', () => {
  it('is up to date (npm run third-party)', async () => {
    expect(await readFile(join(root, 'THIRD_PARTY.md'), 'utf8')).toBe(expected);
  });

  it.each(['THIRD_PARTY.md', 'LICENSE'])('%s is copied to the static page', async (name) => {
    expect(await readFile(join(folder, name), 'utf8')).toBe(await readFile(join(root, name), 'utf8'));
  });

  it('lists all installed packages, and the sources of those under the LGPL', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) expect(expected).toMatch(new RegExp(`(^|, |: )${name} \\d`, 'm'));
    expect(expected).toContain('https://github.com/Yahweasel/libav.js/releases/tag/v');
  });

  it('contains the license texts of bundled packages', () => {
    const texts = expected.slice(expected.indexOf('## License texts'));
    const names = [...texts.matchAll(/^### (.+)$/gm)].flatMap(([, line = '']) => line.split(', '));
    expect(names).toEqual(
      expect.arrayContaining([
        '@libav.js/variant-obsolete',
        'onnxruntime-web',
        'zod',
        'swagger-ui-dist',
        'ggml',
        'mediabunny',
      ]),
    );
    for (const words of ['GNU LESSER GENERAL PUBLIC LICENSE', 'The L.A.M.E. project', 'Fabrice Bellard', 'Xiph.Org']) {
      expect(texts).toContain(words);
    }
  });
});
