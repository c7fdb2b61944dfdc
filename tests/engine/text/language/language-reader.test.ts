import { describe, expect, it } from '@jest/globals';
import { createLanguageReader } from '../../../../src/engine/text/language/language-reader.ts';
import { cases } from '../../cases.ts';

const german = 'Der Zug fährt heute um 9 Uhr, und wir sind nicht da.';

describe('the language of a paragraph', () => {
  it('is what is stated, before all else', () => {
    const reader = createLanguageReader({ stated: 'fr', document: 'es' });
    expect(reader.read(german)).toEqual({ tag: 'fr', by: 'stated' });
    expect(reader.read('5', 'it')).toEqual({ tag: 'it', by: 'stated' });
  });

  it('is what its own words tell, else that of the document', () => {
    const reader = createLanguageReader({ document: 'es' });
    expect(reader.read(german)).toEqual({ tag: 'de', by: 'text' });
    expect(reader.read('Kapitel 3')).toEqual({ tag: 'es', by: 'document' });
  });

  it('is that of its neighbours, else that of most of the text', () => {
    const reader = createLanguageReader({}, ['Kapitel 3', german]);
    expect(reader.read('Kapitel 3')).toEqual({ tag: 'de', by: 'neighbours' });
    reader.read('Le train part à 9 heures et nous ne sommes pas là.');
    expect(reader.read('7 / 8')).toEqual({ tag: 'fr', by: 'neighbours' });
  });

  it('is not one of other letters', () => {
    const reader = createLanguageReader({ document: 'zh' }, ['三只猫。']);
    expect(reader.read('Kapitel 3').tag).toBeUndefined();
    expect(reader.read('3')).toEqual({ tag: 'zh', by: 'document' });
  });

  it.each(cases('language at least'))(
    'of $given is no other one, whatever is left where nothing is known',
    ({ given, expected }) => {
      expect(createLanguageReader({ fallback: 'en' }, [given]).read(given).tag ?? '').toBe(expected);
    },
  );

  it('is that of a model with one language in Latin letters, else unknown', () => {
    expect(createLanguageReader({ spoken: ['zh', 'en'] }).read('12:30')).toEqual({ tag: 'en', by: 'model' });
    expect(createLanguageReader({ spoken: ['de', 'en'] }).read('12:30')).toEqual({ tag: undefined, by: 'unknown' });
  });
});
