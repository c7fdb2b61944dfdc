#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeOldNode } from './node-version.js';

const program = new URL('../dist/src/cli/main.js', import.meta.url);

/** @returns one line about what keeps the program from starting; nothing when it can start */
function describeObstacle() {
  const problem = describeOldNode();
  if (problem !== undefined || existsSync(program)) return problem;
  return `svc is not compiled yet; run: npm run --prefix ${fileURLToPath(new URL('..', import.meta.url))} prepare`;
}

const obstacle = describeObstacle();
if (obstacle === undefined) {
  await import(program.href);
} else {
  process.stderr.write(`${obstacle}\n`);
  process.exitCode = 1;
}
