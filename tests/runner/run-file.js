/** Runs the test files of one worker, one after another. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { jestExpect } from '@jest/expect';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import './register.js';
import { restoreGlobals } from './jest-globals.js';

/** Fails a test whose `expect.assertions` did not hold. */
function checkAssertions(event) {
  if (event.name === 'test_start') jestExpect.setState({ currentTestName: event.test.name, suppressedErrors: [] });
  if (event.name !== 'test_done') return;
  const { isExpectingAssertions, suppressedErrors } = jestExpect.getState();
  event.test.errors.push(...suppressedErrors);
  const missing = jestExpect.extractExpectedAssertionsErrors();
  if (isExpectingAssertions && event.test.errors.length > 0) return;
  event.test.errors.push(...missing.map(({ error }) => error));
}

addEventHandler(checkAssertions);

const originalEnvironment = { ...process.env };
const originalFolder = process.cwd();

function restoreProcess() {
  for (const name of Object.keys(process.env)) if (!(name in originalEnvironment)) delete process.env[name];
  Object.assign(process.env, originalEnvironment);
  process.chdir(originalFolder);
  process.exitCode = undefined;
}

/** Seconds of processor time of this process and, on Linux, of the children that have ended. */
function processorSeconds() {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (process.platform !== 'linux') return own;
  // Fields behind the name of the program, which may have spaces; times are in ticks of 10 ms.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) / 100;
}

/** In jest's format: `TestResult` of `@jest/test-result`; `processorSeconds` is ours. */
function toTestResult({ testResults, unhandledErrors }, testPath, [start, processorBefore], slowTestThreshold) {
  const results = testResults.map(({ testPath: [, ...titles], status, errors, duration, ...rest }) => ({
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1),
    fullName: titles.join(' '),
    status: status === 'done' ? (errors.length > 0 ? 'failed' : 'passed') : status === 'skip' ? 'pending' : status,
    duration,
    failureMessages: errors,
    failureDetails: rest.errorsDetailed,
    invocations: rest.invocations,
    location: rest.location,
    numPassingAsserts: rest.numPassingAsserts,
    retryReasons: [],
  }));
  const count = (status) => results.filter((result) => result.status === status).length;
  const failures = results.filter(({ status }) => status === 'failed');
  const end = Date.now();
  const describeFailure = ({ ancestorTitles, title, failureMessages }) =>
    [`  ● ${[...ancestorTitles, title].join(' › ')}`, ...failureMessages, ''].join('\n\n');
  const failureMessage = [
    ...unhandledErrors.map((error) => `  ● Outside of tests\n\n${error}\n`),
    ...failures.map(describeFailure),
  ];
  return {
    testFilePath: testPath,
    testResults: results,
    numPassingTests: count('passed'),
    numFailingTests: failures.length,
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    failureMessage: failureMessage.length > 0 ? failureMessage.join('\n') : null,
    testExecError: unhandledErrors.length > 0 ? { message: unhandledErrors.join('\n'), stack: '' } : undefined,
    perfStats: { start, end, runtime: end - start, slow: (end - start) / 1000 > slowTestThreshold },
    processorSeconds: processorSeconds() - processorBefore,
    skipped: false,
    leaks: false,
    openHandles: [],
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
  };
}

export default async function runFile({ testPath, globalConfig, config }) {
  const before = [Date.now(), processorSeconds()];
  resetState();
  const state = getState();
  state.testTimeout = globalConfig.testTimeout ?? config.testTimeout ?? 5_000;
  state.maxConcurrency = globalConfig.maxConcurrency;
  state.testNamePattern = globalConfig.testNamePattern ? new RegExp(globalConfig.testNamePattern, 'i') : null;
  state.parentProcess = process;
  jestExpect.setState({ testPath, expand: globalConfig.expand, currentTestName: undefined });
  try {
    await import(pathToFileURL(testPath).href);
    return toTestResult(await run(), testPath, before, config.slowTestThreshold);
  } finally {
    restoreGlobals();
    restoreProcess();
  }
}
