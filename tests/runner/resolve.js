/** Resolves `@jest/globals` to those of this runner, and sources to what they were compiled to. */
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findCompiled } from './compiled.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const globals = new URL('./jest-globals.js', import.meta.url).href;
const sources = /^file:.*\/(src|export|bench)\/.*\.ts$/;

export async function resolve(name, context, next) {
  if (name === '@jest/globals') return { url: globals, shortCircuit: true };
  const resolved = await next(name, context);
  if (!sources.test(resolved.url)) return resolved;
  const compiled = findCompiled(relative(root, fileURLToPath(resolved.url)));
  return compiled === undefined ? resolved : { ...resolved, url: pathToFileURL(compiled).href, format: 'module' };
}
