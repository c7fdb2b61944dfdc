/** Texts that are spoken otherwise than they are written: a table a language, for its speakers to read and extend. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { verbalizedLanguages } from '../../../../src/engine/text/verbalize/load-language.ts';
import { rowsOf } from '../../../support/rows.ts';
import { verbalizeText } from '../../../support/verbalize.ts';

const folder = join(import.meta.dirname, 'spoken');

it('has a table for each language, and one of texts whose language is found', () => {
  const tables = readdirSync(folder).map((file) => file.replace('.tsv', ''));
  expect(tables.sort()).toEqual([...verbalizedLanguages, 'mixed'].sort());
});

describe.each([...verbalizedLanguages, 'mixed'])('%s', (name) => {
  const options = name === 'mixed' ? {} : { language: name };
  it.each(rowsOf(folder, `${name}.tsv`))('%s: %s', (_kind, written, spoken) => {
    expect(verbalizeText(written, options)).toBe(spoken);
  });
});
