/** `npm run third-party`: writes THIRD_PARTY.md. Run it after every dependency change. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, pageScripts } from './build-local/bundle.ts';
import { inlinePackages } from './inline-packages.ts';
import { describeThirdParty } from './third-party/describe-third-party.ts';

const root = join(import.meta.dirname, '..');
const scratch = await mkdtemp(join(tmpdir(), 'svc-third-party-'));
try {
  const bundles = { inlined: await inlinePackages(scratch), page: await bundle(pageScripts, scratch) };
  await writeFile(join(root, 'THIRD_PARTY.md'), await describeThirdParty(root, bundles));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
