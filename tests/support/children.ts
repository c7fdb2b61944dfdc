import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach } from '@jest/globals';

export interface ChildOutcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** How a process ends, and all that it writes from here on. */
export async function outcomeOf(child: ChildProcess): Promise<ChildOutcome> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on('data', (part: Buffer) => stdout.push(part));
  child.stderr?.on('data', (part: Buffer) => stderr.push(part));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() };
}

/** Processes that end after each test, in this order. */
export function childrenOfTest(): ChildProcess[] {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null) continue;
      child.kill();
      await once(child, 'exit');
    }
  });
  return children;
}
