/** Reads mark-up as a stream of tags and texts, in linear time. */
import { type Handler, Parser, type ParserOptions } from 'htmlparser2';
import { DocumentLimitError } from './document-file.ts';

/** Far more than pages have; the parser's time grows with the depth. */
const mostDepth = 500;
/** Elements of a document. Those of the longest books have a million. */
const mostElements = 4_000_000;

/**
 * Text between two tags comes in one piece.
 *
 * @throws DocumentLimitError for too many elements, or some that are nested too deeply
 */
export function readMarkup(
  markup: string,
  { onopentag, onclosetag, ontext }: Pick<Partial<Handler>, 'onopentag' | 'onclosetag' | 'ontext'>,
  options: ParserOptions,
): void {
  let depth = 0;
  let elements = 0;
  let text = '';
  const endText = (): void => {
    if (text !== '') ontext?.(text);
    text = '';
  };
  const handler: Partial<Handler> = {
    onopentag(...tag) {
      endText();
      depth += 1;
      elements += 1;
      if (depth > mostDepth) throw new DocumentLimitError('elements are nested too deeply');
      if (elements > mostElements) throw new DocumentLimitError(`it has more than ${mostElements} elements`);
      onopentag?.(...tag);
    },
    onclosetag(...tag) {
      endText();
      depth -= 1;
      onclosetag?.(...tag);
    },
    ...(ontext && {
      ontext: (part: string) => {
        text += part;
      },
    }),
  };
  const parser = new Parser(handler, { ...options, decodeEntities: true });
  parser.write(markup);
  parser.end();
  endText();
}
