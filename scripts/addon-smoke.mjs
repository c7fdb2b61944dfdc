/** Loads the addon of this package and calls it once, in a process of its own: a binary that does not fit may crash. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const native = join(dirname(dirname(fileURLToPath(import.meta.url))), 'native');
const addon = createRequire(import.meta.url)('node-gyp-build')(native);
// A library that is not there has a reason; the answer came through the whole of the addon and needs no ggml.
if (addon.explainLibrary(join(native, 'none')) === '') process.exitCode = 1;
