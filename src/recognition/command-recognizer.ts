/** A recognizer that is a command: it gets the path of a WAV file and prints the transcript. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { split } from 'shlex';
import { untilAborted } from '../cancellation.ts';
import type { Recognize } from '../engine/recognize.ts';
import { SvcError } from '../errors.ts';
import { reasonOf } from '../files/file-system.ts';
import { quote, sanitizeLine } from '../messages.ts';
import { type Environment, requestError } from '../validation.ts';
import { encodeRecording, timeLimit, within } from './recording.ts';

const placeholder = '{}';
const mostOutputBytes = 1024 * 1024;
const shownErrorBytes = 2000;
/** Milliseconds for the output that is left when the command has ended: a child of it may hold the pipes open. */
const drainTime = 1000;

/**
 * Commands run one at a time, without a shell, as each may take all cores and much memory.
 *
 * @param line words with quotes as in a shell; `{}` is replaced by the file, which is otherwise the last argument
 * @param environment of the command, which gets it without secrets
 * @throws SvcError INVALID_REQUEST if the command does not exist
 */
export async function createCommandRecognizer(line: string, environment: Environment): Promise<Recognize> {
  const [program, ...given] = wordsOf(line);
  if (program === undefined) throw requestError('--check-with is empty: give a command or a URL');
  await requireProgram(program, environment);
  const settings = given.some((word) => word.includes(placeholder)) ? given : [...given, placeholder];
  let queue: Promise<void> = Promise.resolve();
  return (audio, signal) => {
    const earlier = queue;
    const turn = untilAborted(signal, earlier).then(() => recognize(audio, signal));
    queue = Promise.allSettled([earlier, turn]).then(() => undefined);
    return turn;
  };

  async function recognize(audio: Parameters<Recognize>[0], signal: AbortSignal): Promise<string> {
    const seconds = timeLimit(audio);
    const late = () => failure(`took longer than ${seconds} s`);
    const folder = await mkdtemp(join(tmpdir(), 'svc-recognizer-'));
    try {
      const file = join(folder, 'speech.wav');
      await writeFile(file, await encodeRecording(audio));
      const words = settings.map((word) => word.replaceAll(placeholder, () => file));
      return await within(seconds, { signal, late }, (limited) => run(words, limited));
    } catch (error) {
      if (error instanceof SvcError || signal.aborted) throw error;
      throw failure(`could not run: ${reasonOf(error)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  function run(words: readonly string[], signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      // A process group of its own, so that what a script starts ends with it.
      const child = spawn(program as string, words, {
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: process.platform !== 'win32',
        windowsHide: true,
        env: withoutSecrets(environment),
      });
      const output: Buffer[] = [];
      let outputBytes = 0;
      let errors = '';
      let drain: NodeJS.Timeout | undefined;
      const leave = (): void => {
        clearTimeout(drain);
        signal.removeEventListener('abort', abort);
        child.removeAllListeners('exit').removeAllListeners('close');
        child.stdout.destroy();
        child.stderr.destroy();
      };
      // Without waiting for its end: what has left the group outlives it, with the pipes.
      const refuse = (reason: unknown): void => {
        killGroup(child.pid);
        leave();
        reject(reason);
      };
      const abort = (): void => refuse(signal.reason);
      const settle = (code: number | null, name: NodeJS.Signals | null): void => {
        leave();
        if (code === 0) {
          resolve(Buffer.concat(output).toString().trim());
          return;
        }
        const last = sanitizeLine(errors.trim().split('\n').at(-1) ?? '');
        const how = code === null ? `was ended by ${name}` : `failed with exit code ${code}`;
        reject(failure(last ? `${how}: ${last}` : how));
      };
      child.stdout.on('data', (part: Buffer) => {
        outputBytes += part.length;
        if (outputBytes > mostOutputBytes) refuse(failure('printed more than 1 MiB'));
        else output.push(part);
      });
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        errors = (errors + part).slice(-shownErrorBytes);
      });
      child.on('error', refuse);
      child.on('close', settle);
      child.on('exit', (code, name) => {
        drain = setTimeout(settle, drainTime, code, name);
      });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
  }

  function failure(what: string): SvcError {
    return new SvcError('IO', `the recognizer ${quote(basename(program as string))} ${what}`);
  }
}

/** Names of secrets: `SVC_API_KEY`, `HF_TOKEN`, `AWS_SECRET_ACCESS_KEY`, `PGPASSWORD`; and headers with keys of collectors. */
const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|HEADERS/i;
/** A URL with a user or password, such as that of a database. */
const secretUrl = /:\/\/[^/\s@]*@/;

/** A recognizer is another program, which needs none of them; one that does can be given a key of its own with `env`. */
const withoutSecrets = (environment: Environment) =>
  Object.fromEntries(
    Object.entries(environment).filter(([name, value = '']) => !secretName.test(name) && !secretUrl.test(value)),
  );

function wordsOf(line: string): readonly string[] {
  try {
    return split(line);
  } catch {
    throw requestError(`--check-with has an open quote: ${quote(line)}`);
  }
}

function killGroup(id: number | undefined): void {
  if (id === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? id : -id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** A misspelled command should not cost the time of loading a model. */
async function requireProgram(program: string, { PATH = '' }: Environment): Promise<void> {
  // Windows also looks for extensions.
  if (process.platform === 'win32') return;
  const candidates = program.includes('/') ? [program] : PATH.split(delimiter).map((folder) => join(folder, program));
  for (const candidate of candidates) {
    const isFound = access(candidate, constants.X_OK).then(() => true);
    if (await isFound.catch(() => false)) return;
  }
  throw requestError(`--check-with: command ${quote(program)} not found; name a program, or a URL with https://`);
}
