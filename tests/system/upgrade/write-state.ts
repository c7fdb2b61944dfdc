/**
 * Has a program of svc, such as an installed release, write what programs keep between runs, in the middle of their work:
 *
 *     npx tsx tests/system/upgrade/write-state.ts PACKAGE FOLDER
 *
 * PACKAGE is the folder of the program, with `bin/svc.js`; FOLDER is made. Needs redis-server. `upgrade.test.ts` resumes
 * there with the program of this folder.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startRedis } from '../../../bench/broker/redis-process.ts';
import { startSvc } from '../../../bench/svc-process.ts';
import { writeEpub } from '../../book/write-epub.ts';
import { createFakeHub } from '../../hub/fake-hub.ts';
import { eventually } from '../../support/eventually.ts';
import { runMain } from '../../support/run-main.ts';
import { batchLines, bookSettings, modelSettings, pullSettings, speechSettings, textSettings } from './commands.ts';
import { readJobs } from './queued-jobs.ts';

const fixtures = resolve('tests', 'fixtures');
/** Parts of a text are sentences: long ones make few. */
const sentence =
  'The river was wide and cold and they crossed it at the old bridge in the evening when nobody was there to see them ' +
  'and the lights of the town had gone out one after the other as on every day of that long winter.';

async function main(): Promise<void> {
  const [packageFolder, folder] = process.argv.slice(2);
  if (packageFolder === undefined || folder === undefined) throw new Error('usage: write-state.ts PACKAGE FOLDER');
  const program = resolve(packageFolder, 'bin', 'svc.js');
  await mkdir(folder, { recursive: true });
  const hub = await createFakeHub({ 'acme/speech': { files: { 'speech-f16.gguf': Buffer.from('not looked into') } } });
  const environment = { ...process.env, SVC_CACHE_DIR: 'cache', HF_ENDPOINT: hub.endpoint };
  const options = { cwd: folder, env: environment };
  const svc = async (...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [program, ...words], options)).stdout;

  /** Ends the program as Ctrl-C does once the file is there. A program that keeps nothing leaves nothing. */
  async function interrupt(words: readonly string[], output: string, file: string): Promise<void> {
    const child = spawn(process.execPath, [program, ...words], { ...options, stdio: 'ignore' });
    const over = once(child, 'close').then(() => true);
    const path = join(folder as string, output);
    while (!existsSync(`${path}.unfinished/${file}`)) if ((await Promise.race([over, wait(5)])) === true) break;
    child.kill('SIGINT');
    await over;
    await rm(path, { force: true });
  }

  try {
    await cp(join(fixtures, 'tiny-v1', 'prompt_a.wav'), join(folder, 'recording.wav'));
    await writeFile(join(folder, 'words.txt'), 'Qwyx = quicks\n');
    const recording = ['--audio', 'recording.wav', '--text', 'A warm day.', '--lexicon', 'words.txt'];
    await svc('voices', 'add', 'anna', ...recording, '--voice-dir', 'voices', ...modelSettings);
    await svc(...speechSettings, '--output', 'anna.wav');

    await writeFile(join(folder, 'list.jsonl'), batchLines.slice(0, 2).join(''));
    await svc('batch', '--input', 'list.jsonl', '--output-dir', 'batch', '--voice-dir', 'voices', ...modelSettings);
    await writeFile(join(folder, 'list.jsonl'), batchLines.join(''));

    const chapters = ['One', 'Two', 'Three', 'Four'].map(
      (title) => [title, `<h1>${title}</h1><p>${sentence}</p>`] as const,
    );
    await writeEpub(join(folder, 'book.epub'), { title: 'A Book', chapters });
    await interrupt(bookSettings, 'book.m4b', 'chapter-001.json');
    await writeFile(join(folder, 'text.txt'), Array<string>(40).fill(sentence).join('\n\n'));
    await interrupt(textSettings, 'text.wav', 'part-00001.json');

    await svc(...pullSettings);
    const checkpoint = join(fixtures, 'tiny-v1', 'checkpoint');
    await svc('export', '--format', 'onnx', '--model-path', checkpoint, '--output', 'onnx', '--type', 'q8', '--quiet');

    await writeFile(join(folder, 'jobs.json'), `${JSON.stringify(await queueJob(program, folder), null, 2)}\n`);
    await removeEmpty(folder);
  } finally {
    await hub.close();
  }
}

/** Task that a front end queues for a worker that takes nothing. */
async function queueJob(program: string, folder: string): Promise<unknown> {
  await using redis = await startRedis();
  const broker = ['--broker', redis.url];
  await using worker = await startSvc(['worker', ...broker, ...modelSettings], 'working', {}, [program]);
  const serve = ['serve', '--port', '0', '--voice-dir', resolve(folder, 'voices'), ...broker];
  await using front = await startSvc(serve, 'listening', {}, [program]);
  const leaving = new AbortController();
  const speak = (): Promise<unknown> =>
    fetch(`${front.ready.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ input: 'Good morning.', voice: 'anna', seed: 5 }),
      signal: leaving.signal,
    }).then((response) => response.arrayBuffer());
  // Has the voice encoded, which is another job.
  await speak();
  worker.child.kill('SIGSTOP');
  try {
    const answer = speak().catch(() => undefined);
    let jobs = await readJobs(redis.client);
    await eventually(async () => {
      jobs = await readJobs(redis.client);
      return jobs.some(({ data }) => JSON.parse(data).kind === 'speech');
    }, 'a job is in the queue');
    leaving.abort();
    await answer;
    return jobs.filter(({ data }) => JSON.parse(data).kind === 'speech');
  } finally {
    worker.child.kill('SIGCONT');
  }
}

/** SQLite leaves empty files beside its database. */
async function removeEmpty(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await stat(join(folder, name));
    if (found.isFile() && (found.size === 0 || name.endsWith('-shm'))) await rm(join(folder, name));
  }
}

await runMain(main);
