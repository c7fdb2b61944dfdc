/** Process for rounds: `child.ts MODULE SOURCE SEED FIRST END`. Prints one line of JSON per event. */
import { readFileSync } from 'node:fs';
import { argv, exit, resourceUsage, stdout } from 'node:process';
import { toSvcError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createRoundRandom } from './random.ts';
import { loadTarget, type Target } from './target.ts';

export type ChildEvent =
  | { readonly event: 'ready' }
  | { readonly event: 'start'; readonly round: number }
  | { readonly event: 'change'; readonly change: string }
  | {
      readonly event: 'end';
      readonly outcome: 'used' | 'refused' | 'misreported';
      readonly message: string;
      /** Memory above that of the valid file, in bytes. */
      readonly memory: number;
    };

const send = (event: ChildEvent): void => void stdout.write(`${JSON.stringify(event)}\n`);

/** Peak memory of the process. `maxRSS` starts at that of the parent process. */
function peak(): number {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kibibytes !== undefined) return Number(kibibytes) * 1024;
  } catch {
    // Linux only.
  }
  return resourceUsage().maxRSS * 1024;
}

async function runRound(target: Target, source: string, seed: number, round: number): Promise<ChildEvent> {
  const random = createRoundRandom(seed, round);
  await using work = await temporaryFolder();

  send({ event: 'change', change: await target.mutate(source, work.path, random) });
  try {
    await target.run(work.path, random);
    return { event: 'end', outcome: 'used', message: '', memory: 0 };
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    const isFit = target.refusals.includes(code) && !message.includes('\n');
    return { event: 'end', outcome: isFit ? 'refused' : 'misreported', message: `${code}: ${message}`, memory: 0 };
  }
}

async function main(): Promise<void> {
  const [module = '', source = '', seed, first, end] = argv.slice(2);
  const target = await loadTarget(new URL(module));
  // The memory of the valid file doesn't count.
  await target.run(source, createRoundRandom(Number(seed), 0));
  const usual = peak();
  send({ event: 'ready' });
  for (let round = Number(first); round < Number(end); round += 1) {
    send({ event: 'start', round });
    const ended = await runRound(target, source, Number(seed), round);
    send({ ...ended, memory: Math.max(0, peak() - usual) } as ChildEvent);
  }
}

await main();
// Leftovers of a corrupted file must not keep the process alive.
exit(0);
