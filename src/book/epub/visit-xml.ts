import { readMarkup } from '../markup.ts';

interface Visitor {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/** Visits the elements of a document by their names in lower case, without their namespace prefix. */
export function visitXml(xml: string, { open, text, close }: Visitor): void {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
  readMarkup(
    xml,
    {
      onopentag: (name, attributes) => open?.(local(name), attributes),
      ontext: (content) => text?.(content),
      onclosetag: (name) => close?.(local(name)),
    },
    { xmlMode: true },
  );
}
