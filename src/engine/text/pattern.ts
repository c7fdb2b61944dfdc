/**
 * A regular expression made of parts, which are patterns themselves.
 *
 * @example pattern('u')`^${word}\s` // instead of new RegExp(String.raw`^${word}\s`, 'u')
 */
export const pattern =
  (flags: string) =>
  (strings: TemplateStringsArray, ...parts: readonly string[]): RegExp =>
    new RegExp(String.raw(strings, ...parts), flags);
