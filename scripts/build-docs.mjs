/** Copies the API reference to `dist/docs`: our own files and Swagger UI. */
import { cp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const output = join(root, 'dist', 'docs');
const viewerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

await rm(output, { recursive: true, force: true });
await mkdir(output, { recursive: true });
await cp(join(root, 'src', 'web', 'docs'), output, { recursive: true });
for (const name of viewerFiles) await cp(join(viewer, name), join(output, name));
