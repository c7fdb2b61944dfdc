import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second for all programs. */
const ticksPerSecond = 100;

/** Processor time that a process has used, with all its threads, in seconds. Linux only. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in parentheses may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
