/** A recognizer that is a real process, with transcripts from the test. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeCommand {
  /** For `--check-with`. */
  readonly line: string;
  /** Inputs that it was given, in order. */
  calls(): readonly Readonly<Record<string, unknown>>[];
  /** Its process and that process's child, once it hangs. */
  pids(): readonly number[] | undefined;
}

/** @param lines what it prints, one call each; see `fake-recognizer.mjs` */
export function createFakeCommand(folder: string, lines: readonly string[]): FakeCommand {
  // A space, which needs the quotes.
  const state = join(folder, 'fake recognizer');
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'lines'), lines.join('\n'));
  const read = (name: string): string =>
    existsSync(join(state, name)) ? readFileSync(join(state, name), 'utf8').trim() : '';
  return {
    line: `'${process.execPath}' tests/recognition/fake-recognizer.mjs '${state}'`,
    calls: () =>
      read('calls') === ''
        ? []
        : read('calls')
            .split('\n')
            .map((call) => JSON.parse(call)),
    pids: () => (read('pids') === '' ? undefined : read('pids').split(' ').map(Number)),
  };
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
