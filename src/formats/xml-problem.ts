import { shorten } from '../messages.ts';

/** The parser quotes names of any length. */
const longest = 200;

/** The XML parser's message, without the place and the full stop. */
export function xmlProblem({ message }: Error): string {
  return shorten(message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''), longest);
}
