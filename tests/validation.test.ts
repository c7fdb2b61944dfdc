import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { quote, show } from '../src/messages.ts';
import { numberIn, oneOf, parse, recordOf } from '../src/validation.ts';

const schema = z.strictObject({
  format: oneOf(['wav', 'flac']).optional(),
  speed: numberIn({ kind: 'number', minimum: 0.25, maximum: 4 }).optional(),
  text: z.string(),
});

describe('parse', () => {
  it.each([
    [{}, 'text is required'],
    [{ text: 'a', speed: 5 }, 'speed must be a number from 0.25 to 4, got 5'],
    [{ text: 'a', format: 'flak' }, 'format must be one of wav, flac, got "flak"; did you mean "flac"?'],
    [{ text: 'a', format: 'tiff' }, 'format must be one of wav, flac, got "tiff"'],
    [{ text: 'a', speeed: 2 }, 'unknown field "speeed" in the line; did you mean "speed"?'],
    [{ text: 'a', language: 'en' }, 'unknown field "language" in the line'],
    [{ txet: 'a' }, 'unknown field "txet" in the line; did you mean "text"?'],
    [{ speeed: 2 }, 'unknown field "speeed" in the line; did you mean "speed"?'],
    [{ text: 'a', speeed: 2, forma: 'wav' }, 'unknown fields "speeed", "forma" in the line'],
    ['text', 'the line must be an object, got "text"'],
    // Without a message of its own.
    [{ text: 5 }, 'text must be a string, got 5'],
  ])('refuses %j', (input, message) => {
    expect(() => parse(schema, input, 'the line')).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message }),
    );
  });
});

describe('parse, of a value of several kinds,', () => {
  const several = z.object({
    value: z.union(
      [z.string(), z.array(z.object({ text: z.string({ error: 'a string' }) })).max(2, { error: 'short' })],
      {
        error: 'a string or a list',
      },
    ),
  });

  it.each([
    [{ value: 1 }, 'value must be a string or a list, got 1'],
    [{ value: [{ text: 'a' }, { text: 1 }] }, 'text of item 2 of value must be a string, got 1'],
    [{ value: [{}] }, 'text of item 1 of value is required'],
    [{ value: Array(3).fill({ text: 'a' }) }, 'value must be short, got an array of 3'],
  ])('names what is wrong in %j', (input, message) => {
    expect(() => parse(several, input)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }));
  });
});

describe('parse, of an object that may have other fields,', () => {
  const loose = z.object({ input: z.string(), voice: z.string().optional() });

  it.each([
    [{ inptu: 'a' }, 'unknown field "inptu" in the request; did you mean "input"?'],
    [{ voice: 'a' }, 'input is required'],
    [{ prompt: 'a' }, 'input is required'],
  ])('names a misspelled field in %j', (given, message) => {
    expect(() => parse(loose, given)).toThrow(expect.objectContaining({ message, param: 'input' }));
  });

  it('ignores it beside the field itself', () => {
    expect(parse(loose, { input: 'a', inptu: 'b' })).toEqual({ input: 'a' });
  });
});

describe('values in messages', () => {
  it('are cut by show and whole in quote', () => {
    const path = `/${'a'.repeat(60)}.wav`;
    expect(show(path)).toBe(`"/${'a'.repeat(39)}"…`);
    expect(quote(path)).toBe(`"${path}"`);
  });
});

describe('a record', () => {
  const error = 'an object of at most 3 names';
  const record = z.object({
    names: recordOf(z.string({ error: 'a string' }), { most: 3, longest: 5, error }).nullish(),
  });

  it.each([{ names: { a: 'b', ['x'.repeat(5)]: '' } }, { names: {} }, { names: null }, {}])('may be %j', (value) =>
    expect(parse(record, value)).toEqual(value),
  );

  it.each([
    [{ a: '', b: '', c: '', d: '' }, `names must be ${error}, got an object with 4 fields`],
    [{ '': 'a' }, `names must be ${error}, got an object with 1 field`],
    [{ ['x'.repeat(6)]: 'a' }, `names must be ${error}, got an object with 1 field`],
    [{ a: 'b', c: 1, d: 2 }, 'names.c must be a string, got 1'],
    [['a'], `names must be ${error}, got an array of 1`],
    ['a', `names must be ${error}, got "a"`],
  ])('refuses %j', (names, message) => {
    expect(() => parse(record, { names })).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }));
  });

  it('costs no more than its first fault', () => {
    let checked = 0;
    const value = z.string().or(
      z.unknown().refine(() => {
        checked += 1;
        return false;
      }),
    );
    const values = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`word${index}`, 1]));
    const large = recordOf(value, { most: 100_000, longest: 100, error });
    expect(() => parse(z.object({ large }), { large: values })).toThrow('large.word0 must be');
    expect(checked).toBe(1);
  });

  it('looks closely only at values that may not fit', () => {
    let checked = 0;
    const value = z.unknown().refine(() => {
      checked += 1;
      return false;
    });
    const isText = (given: unknown): boolean => typeof given === 'string';
    const texts = z.object({ texts: recordOf(value, { most: 9, longest: 9, error, fits: isText }) });
    expect(parse(texts, { texts: { a: 'b', c: 'd' } })).toEqual({ texts: { a: 'b', c: 'd' } });
    expect(checked).toBe(0);
    expect(() => parse(texts, { texts: { a: 'b', c: 1 } })).toThrow('texts.c must be');
  });
});

describe('values in messages', () => {
  const long = 'a'.repeat(100_000);

  it('are quoted with a bound', () => {
    expect(quote('/srv/a.wav')).toBe('"/srv/a.wav"');
    expect(quote(`begin${long}end`)).toMatch(/^"begina+…a+end"$/);
    expect(quote(long).length).toBeLessThan(310);
  });

  it('are a few of any number', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`${index}${long.slice(0, 50)}`, 1]),
    );
    const message = /^unknown fields ("\d+a+"…, ){7}"\d+a+"… and 49992 more in the line$/;
    expect(() => parse(schema, { text: 'a', ...fields }, 'the line')).toThrow(message);
  });
});
