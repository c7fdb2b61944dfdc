/** Reads mark-up as a stream of tags and texts, in linear time. */
import { type Handler, Parser, type ParserOptions } from 'htmlparser2';

/** Far more than pages have; the parser's time grows with the depth. */
const mostDepth = 500;

/** @throws RangeError for elements that are nested too deeply */
export function readMarkup(
  markup: string,
  { onopentag, onclosetag, ontext }: Pick<Partial<Handler>, 'onopentag' | 'onclosetag' | 'ontext'>,
  options: ParserOptions,
): void {
  let depth = 0;
  const handler: Partial<Handler> = {
    onopentag(...tag) {
      depth += 1;
      if (depth > mostDepth) throw new RangeError('elements are nested too deeply');
      onopentag?.(...tag);
    },
    onclosetag(...tag) {
      depth -= 1;
      onclosetag?.(...tag);
    },
    ...(ontext && { ontext }),
  };
  const parser = new Parser(handler, { ...options, decodeEntities: true });
  parser.write(markup);
  parser.end();
}
