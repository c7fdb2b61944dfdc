/** Checks the version of Node.js. Old versions must be able to parse this file, so it has no new syntax and no packages. */
import { readFileSync } from 'node:fs';

/** @returns one line about a version older than `engines` in package.json; nothing for a supported one */
export function describeOldNode(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const oldest = engines.node.replace('>=', '');
  const numbers = (text) => text.split('.').map(Number);
  const [[major, minor], [oldestMajor, oldestMinor]] = [numbers(version), numbers(oldest)];
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `svc needs Node.js ${oldest} or newer, this is ${version} (${process.execPath}); see https://nodejs.org/en/download`;
}
