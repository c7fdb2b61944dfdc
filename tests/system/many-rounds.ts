/** The tests of `npm test` that repeat themselves (tests/support/rounds.ts), with all of their rounds. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

/** What `native` and the exporter decide alone. */
const computing = /^tests\/(?:golden|export|native)\/|^tests\/engine\/(?:linear|backends\/)/;

/** Runs those of the numbers, or all others. */
export async function expectManyRounds(ofNumbers: boolean): Promise<void> {
  const files = readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('system'))
    .map((name) => join('tests', name))
    .filter((path) => readFileSync(path, 'utf8').includes("support/rounds.ts'") && computing.test(path) === ofNumbers);
  expect(files.length).toBeGreaterThan(5);
  const env = { ...process.env, SVC_TEST_ROUNDS: 'many' };
  const settings = ['node_modules/jest/bin/jest.js', '--testTimeout', '3600000', ...files];
  const { stderr } = await promisify(execFile)(process.execPath, settings, { env });
  expect(stderr).toMatch(new RegExp(`^Test Suites: ${files.length} passed, ${files.length} total$`, 'm'));
}
