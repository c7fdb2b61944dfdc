/** Runs programs of this package in processes of their own, so that a crash or a hang of native code ends only them. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Starts a file next to the caller's.
 *
 * @param name file name without extension; the extension is the caller's: `.js` when compiled, `.ts` before
 * @example
 * const child = forkProgram('./check-program', import.meta.url);
 */
export function forkProgram(
  name: string,
  base: string,
  parameters: readonly string[] = [],
  options: ForkOptions = {},
): ChildProcess {
  const extension = extname(base);
  return fork(fileURLToPath(new URL(`${name}${extension}`, base)), [...parameters], {
    // From its sources the project runs through tsx.
    execArgv: extension === '.ts' ? ['--import', 'tsx'] : [],
    serialization: 'advanced',
    // Standard output belongs to the speech.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...options,
  });
}

/** Collects what a process prints to standard error; returns its end. */
export function collectWords({ stderr }: ChildProcess): () => string {
  let words = '';
  stderr?.on('data', (text: Buffer) => {
    words = `${words}${text.toString()}`.slice(-4000);
  });
  return () => words;
}

/** Words of CUDA, Vulkan and ggml for a lack of memory. */
export const outOfMemory = /out of memory|OutOf(?:Device|Host)Memory|not enough memory/i;

/** Lines of stack traces and debuggers, which follow the message of an abort. */
const traceLine = /^(?:#\d|\[New |\[Thread |\[Inferior |Using host |warning: |0x[\da-f]+ in )|\[0x[\da-f]+\]$/;

/** A place in the source of a library, before its message. */
const sourcePlace = /^\S+\.(?:c|cc|cpp|cu|cuh|h|hpp|m|mm):\d+:\s*/;

/** The line of a crashed process's last words that states the cause; empty without words. */
export function causeOf(words: string): string {
  const lines = words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !traceLine.test(line))
    .map((line) => line.replace(sourcePlace, '').replace(/\.$/, ''));
  return (
    lines.findLast((line) => /\berror: \S/i.test(line)) ??
    lines.findLast((line) => /error|fail|lost|memory|abort|assert/i.test(line)) ??
    lines.at(-1) ??
    ''
  );
}

/** How a process ended that should have answered. */
export function describeEnd(code: number | null, signal: NodeJS.Signals | null, words: string): string {
  const end = signal === null ? `exited with code ${code}` : `crashed (${signal})`;
  const cause = causeOf(words);
  return cause === '' ? end : `${end}: ${cause}`;
}
