import { register } from 'node:module';
import process from 'node:process';

/**
 * `register` of `node:module` without its warning: it is deprecated from Node.js 26 on, which tests that read standard error
 * would see, and what replaces it is not in 20.
 */
export function registerQuietly(specifier, parent) {
  quietly(() => register(specifier, parent));
}

export function quietly(work) {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  work();
  process.noDeprecation = noDeprecation;
}
