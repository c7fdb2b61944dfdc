import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { compareSamples, isSame } from '../../bench/broker/comparison.ts';
import { samplesOf, speak } from '../../bench/broker/processes.ts';
import { startRedis } from '../../bench/broker/redis-process.ts';
import { type SvcProcess, startSvc } from '../../bench/svc-process.ts';
import { svcProgram } from '../../bench/svc-program.ts';
import { brokerKeys, protocolVersion } from '../../src/broker/shared/keys.ts';
import { eventually } from '../support/eventually.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { sharedProcesses } from './shared-processes.ts';

/**
 * Needs redis-server. SVC_LAST_RELEASE names the folder of a release to upgrade from; without it, that is a copy of this program
 * whose protocol has another version.
 */
const release = process.env.SVC_LAST_RELEASE;
/** Version of its protocol. */
let previous = protocolVersion - 1;
let old: string;
/** Ends the listeners. */
let isOver = false;
const running: SvcProcess[] = [];

/** A copy of the program that calls its protocol the previous version. */
async function copyPrevious(): Promise<string> {
  const copy = join(folder, 'previous');
  await cp('src', join(copy, 'src'), { recursive: true });
  for (const name of await readdir('.')) if (name !== 'src') await symlink(resolve(name), join(copy, name));
  const path = join(copy, 'src/broker/shared/keys.ts');
  const text = await readFile(path, 'utf8');
  const changed = text.replace(`protocolVersion = ${protocolVersion};`, `protocolVersion = ${previous};`);
  expect(changed).not.toBe(text);
  await writeFile(path, changed);
  return copy;
}

async function start(root: string, command: readonly string[], message: string): Promise<SvcProcess> {
  const settings = [...command, '--broker', redis.url];
  const program = root === release ? [join(root, 'bin', 'svc.js')] : svcProgram(root);
  const started = await startSvc(settings, message, {}, program);
  running.push(started);
  return started;
}
const startWorker = (root: string): Promise<SvcProcess> =>
  start(root, ['worker', '--backend', 'cpu', '--threads', '1', '--max-batch', '2'], 'working');
const startFront = (root: string, message: string): Promise<SvcProcess> =>
  start(root, ['serve', '--port', '0', '--voice-dir', folder], message);

afterAll(async () => {
  isOver = true;
  await Promise.all(running.map((each) => each.stop('SIGKILL')));
});
const redis = sharedProcesses()(startRedis);
const folder = sharedFolder();
beforeAll(async () => {
  old = release ?? (await copyPrevious());
});

it('a rolling upgrade to another protocol version loses no request', async () => {
  const oldWorker = await startWorker(old);
  if (release !== undefined) previous = Number(await redis.client.zrange(brokerKeys('speech').protocols, '0', '0'));
  const oldFront = await startFront(old, 'listening');
  let url = String(oldFront.ready.url);
  const ask = async (): Promise<Int16Array> => samplesOf(await speak(url, 'One, two, three.', { seed: 1 }));
  const expected = await ask();

  const answers: Int16Array[] = [];
  const listen = async (): Promise<void> => {
    while (!isOver) answers.push(await ask());
  };
  const listening = Promise.all([listen(), listen(), listen()]);
  // A failure is seen at the end, after the processes have been stopped.
  listening.catch(() => undefined);

  // A front end takes no requests before a worker understands them.
  const waiting = 'waiting for a worker of this protocol version; the running ones speak another';
  const front = await startFront('.', previous === protocolVersion ? 'listening' : waiting);
  if (previous !== protocolVersion) {
    expect(front.ready).toMatchObject({ protocol: protocolVersion, workers: [previous] });
    expect(front.log()).not.toContain('"msg":"listening"');
  }
  await startWorker('.');
  await eventually(async () => front.log().includes('"msg":"listening"'), 'the new front end listens');

  const whileBoth = answers.length;
  await eventually(async () => answers.length > whileBoth + 3, 'old ones serve beside new ones');
  url = /"url":"([^"]+)"/.exec(front.log())?.[1] ?? '';
  expect((await oldFront.stop('SIGTERM')).code).toBe(0);
  expect((await oldWorker.stop('SIGTERM')).code).toBe(0);
  const afterwards = answers.length;
  await eventually(async () => answers.length > afterwards + 6, 'new ones serve alone');
  isOver = true;
  await listening;
  // Another build may round otherwise.
  const possible = release === undefined ? [expected] : [expected, answers.at(-1) as Int16Array];
  for (const answer of answers) expect(possible.some((samples) => isSame(compareSamples(samples, answer)))).toBe(true);
});
