import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const includes = /^([ \t]*)<!-- include (\S+)((?: \w+="[^"]*")*) -->$/gm;

/**
 * The page in a file: `<!-- include FILE name="value" -->` includes another file, relative to this one, with `{{name}}`
 * replaced.
 */
export async function renderPage(path: string): Promise<string> {
  const page = await readFile(path, 'utf8');
  const parts = [...page.matchAll(includes)].map(async ([, indent = '', file = '', values = '']) => {
    let part = await readFile(join(dirname(path), file), 'utf8');
    for (const [, name, value] of values.matchAll(/(\w+)="([^"]*)"/g))
      part = part.replaceAll(`{{${name}}}`, `${value}`);
    return part.trimEnd().replace(/^(?=.)/gm, indent);
  });
  const texts = await Promise.all(parts);
  return page.replace(includes, () => texts.shift() ?? '');
}
