/** Exits while models are loading. */
import { openModel } from './addon.mjs';

const [path, milliseconds] = process.argv.slice(2);
for (let index = 0; index < 8; index++) void openModel(path, 1);
setTimeout(() => process.exit(7), Number(milliseconds));
