import { shorten } from '../messages.ts';

/** The parser quotes names of any length. */
const longest = 200;

/** What the XML parser says, without the place and the full stop. */
export function xmlProblem({ message }: Error): string {
  return shorten(message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''), longest);
}
