/** Loads the addon and calls it once. Runs in its own process, since an incompatible binary may crash. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasMusl } from './c-library.mjs';

const native = join(dirname(dirname(fileURLToPath(import.meta.url))), 'native');
// node-gyp-build, which reads it as it loads, knows musl only of Alpine.
if (hasMusl()) process.env.LIBC ??= 'musl';
const addon = createRequire(import.meta.url)('node-gyp-build')(native);
// Asks why a missing library can't be loaded, which needs no ggml.
if (addon.explainLibrary(join(native, 'none')) === '') process.exitCode = 1;
