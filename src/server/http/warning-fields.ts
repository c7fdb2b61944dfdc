/** Warnings as the `Warning` header (RFC 7234, 5.5): `299 svc "the prompt has no speech"`. */

/** Clients and proxies refuse headers of several kilobytes. */
const mostWarnings = 8;
const longestWarning = 400;

/** Header fields are ASCII: other characters are written as `U+4F60`. */
const toAscii = (text: string): string =>
  text.replace(
    /[^\x20-\x7e]/gu,
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} `,
  );

export function warningFields(warnings: readonly string[]): Readonly<Record<string, string>> {
  const values = warnings.slice(0, mostWarnings).map((warning) => {
    const text = toAscii(warning).slice(0, longestWarning).trim();
    return `299 svc "${text.replace(/["\\]/g, '\\$&')}"`;
  });
  return values.length === 0 ? {} : { Warning: values.join(', ') };
}
