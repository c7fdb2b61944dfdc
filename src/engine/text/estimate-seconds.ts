/** Estimates how long a text takes to speak, before any model is loaded. */
import { eachSyllabic } from './writing-systems.ts';

/** Characters of a second of speech, rounded from the demo model's English and VoxCPM's Chinese. */
const lettersPerSecond = 14;
const ideographsPerSecond = 4;

export function estimateSeconds(text: string): number {
  const ideographs = text.match(eachSyllabic)?.length ?? 0;
  return (text.length - ideographs) / lettersPerSecond + ideographs / ideographsPerSecond;
}
