/** Builds the web pages into `dist/web`. */
import { join } from 'node:path';
import { buildPage, pageNames } from './web/build-page.ts';

const output = join(import.meta.dirname, '..', 'dist', 'web');
for (const name of pageNames) await buildPage(name, join(output, name));
