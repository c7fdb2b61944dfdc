import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { expect } from '@jest/globals';
import type { Io } from '../../src/cli/io.ts';
import { run } from '../../src/cli/program.ts';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/engine-options.ts';
import { createTextReader } from '../../src/engine/text-reader.ts';
import { createFakeBackend, type FakeBackend, type FakeOptions } from '../engine/fake-backend.ts';
import { noLoudspeaker } from '../support/no-loudspeaker.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';

export interface Circumstances {
  /** Content of standard input; a terminal by default. */
  readonly stdin?: string | Uint8Array | Readable;
  readonly terminal?: 'none' | 'stderr' | 'stdout';
  readonly backend?: FakeOptions | FakeBackend;
  /** Replaces the fake backend. */
  readonly openEngine?: Io['openEngine'];
  /** Error of opening an engine. */
  readonly failure?: Error;
  readonly signal?: AbortSignal;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  readonly environment?: Io['environment'];
  readonly loudspeaker?: Io['loudspeaker'];
}

export interface Outcome {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly backend: FakeBackend;
  readonly opened: readonly EngineOptions[];
}

/** Words, or a line of words without spaces in them. */
export type CommandLine = string | readonly string[];

/** Runs a command line in this process, with a fake backend by default. */
export async function invoke(line: CommandLine, circumstances: Circumstances = {}): Promise<Outcome> {
  const { stdin, terminal = 'none', backend: fake = { stopAt: 4 }, signal } = circumstances;
  const backend = 'calls' in fake ? fake : createFakeBackend(fake);
  const opened: EngineOptions[] = [];
  const out = collector(terminal === 'stdout');
  const err = collector(terminal === 'stderr');
  const io: Io = {
    stdin: standardInput(stdin),
    stdout: circumstances.stdout ?? out.stream,
    stderr: circumstances.stderr ?? err.stream,
    signal: signal ?? new AbortController().signal,
    environment: circumstances.environment ?? {},
    loudspeaker: circumstances.loudspeaker ?? noLoudspeaker,
    openEngine: async (options, callbacks) => {
      opened.push(options);
      if (circumstances.failure !== undefined) throw circumstances.failure;
      return (
        circumstances.openEngine?.(options, callbacks) ??
        createEngineFromBackend(backend, { maxBatch: 1, ...callbacks })
      );
    },
    openTextReader: async () => createTextReader(backend.info, (key) => backend.metadata(key)),
  };
  const code = await run(typeof line === 'string' ? line.split(' ') : line, io);
  return { code, stdout: out.bytes(), stderr: err.bytes().toString(), backend, opened };
}

/** The line of JSON on standard output. */
export const jsonOf = ({ stdout }: Pick<Outcome, 'stdout'>) => JSON.parse(stdout.toString());

/** Entries of the manifest of a batch. */
export const manifestIn = (folder: string): Readonly<Record<string, unknown>>[] =>
  readFileSync(join(folder, 'manifest.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Matches an outcome with this exit code, and a standard error that is the string, or fits the pattern. */
export const ended = (code: unknown, stderr: string | RegExp) => ({
  code,
  stderr: typeof stderr === 'string' ? stderr : expect.stringMatching(stderr),
});

/** Matches an outcome with this exit code, and a part of standard error. */
export const endedWith = (code: unknown, part: string) => ({ code, stderr: expect.stringContaining(part) });

export const expectEnd = (outcome: object, code: unknown, stderr: string | RegExp): void =>
  expect(outcome).toMatchObject(ended(code, stderr));

export const expectEndWith = (outcome: object, code: unknown, part: string): void =>
  expect(outcome).toMatchObject(endedWith(code, part));

/** As `invoke`, with the voices of a folder and a model that has room for recordings. */
export const invokeIn =
  (folder: Pick<TemporaryFolder, 'join'>, info: FakeOptions['info'] = {}) =>
  (line: CommandLine, circumstances: Circumstances = {}): Promise<Outcome> =>
    invoke(line, {
      backend: { stopAt: 4, info: { contextLength: 100_000, ...info } },
      environment: { SVC_SQLITE_PATH: folder.join('voices.sqlite') },
      ...circumstances,
    });

function standardInput(content: Circumstances['stdin']): Io['stdin'] {
  if (content instanceof Readable) return content;
  if (content === undefined) return Object.assign(new PassThrough(), { isTTY: true });
  return Readable.from([Buffer.from(content)]);
}

function collector(isTTY: boolean): { readonly stream: Writable & { isTTY: boolean }; readonly bytes: () => Buffer } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(Buffer.from(part));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), bytes: () => Buffer.concat(parts) };
}
