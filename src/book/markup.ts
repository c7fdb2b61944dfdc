/** Reads mark-up as a stream of tags and texts, in linear time. */
import { type Handler, Parser, type ParserOptions } from 'htmlparser2';
import { DocumentLimitError } from './document-file.ts';

/** Far more than pages have; the parser's time grows with the depth. */
const mostDepth = 500;
/** Elements of a document. Those of the longest books have a million. */
const mostElements = 4_000_000;

const modes = {
  xml: { xmlMode: true },
  html: {},
  xhtml: { recognizeSelfClosing: true },
  'xhtml with CDATA': { recognizeSelfClosing: true, recognizeCDATA: true },
} as const satisfies Record<string, ParserOptions>;

export interface MarkupVisitor {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Text between two tags comes in one piece. */
  text?(text: string): void;
  /** @param content text since the tag before */
  close?(name: string, content: string): void;
}

/** @throws DocumentLimitError for too many elements, or some that are nested too deeply */
export function readMarkup(markup: string, mode: keyof typeof modes, visitor: MarkupVisitor = {}): void {
  let depth = 0;
  let elements = 0;
  let text = '';
  const endText = (): void => {
    if (text !== '') visitor.text?.(text);
    text = '';
  };
  const handler: Partial<Handler> = {
    onopentag(name, attributes) {
      endText();
      depth += 1;
      elements += 1;
      if (depth > mostDepth) throw new DocumentLimitError('elements are nested too deeply');
      if (elements > mostElements) throw new DocumentLimitError(`it has more than ${mostElements} elements`);
      visitor.open?.(name, attributes);
    },
    onclosetag(name) {
      const content = text;
      endText();
      depth -= 1;
      visitor.close?.(name, content);
    },
    ...((visitor.text ?? visitor.close) && {
      ontext: (part: string) => {
        text += part;
      },
    }),
  };
  const parser = new Parser(handler, { ...modes[mode], decodeEntities: true });
  parser.write(markup);
  parser.end();
  endText();
}

/** Visits the elements of a document of XML by their names in lower case, without their namespace prefix. */
export function visitXml(xml: string, { open, text, close }: MarkupVisitor): void {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
  readMarkup(xml, 'xml', {
    open: (name, attributes) => open?.(local(name), attributes),
    text: (content) => text?.(content),
    close: (name, content) => close?.(local(name), content),
  });
}
