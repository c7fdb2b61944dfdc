/** `npm run third-party`: writes THIRD_PARTY.md. Run it after every dependency change. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileSources } from './compile-sources.ts';
import { describeThirdParty } from './third-party/describe-third-party.ts';
import { buildPage } from './web/build-page.ts';

const root = join(import.meta.dirname, '..');
const scratch = await mkdtemp(join(tmpdir(), 'svc-third-party-'));
try {
  const inlined = await compileSources(scratch);
  const pages = [await buildPage('local', scratch), await buildPage('playground', join(scratch, 'playground'))];
  const bundles = { inlined, pages };
  await writeFile(join(root, 'THIRD_PARTY.md'), await describeThirdParty(root, bundles));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
