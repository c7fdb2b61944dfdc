/**
 * Text from outside on one line, without the characters that a terminal obeys and those that reverse the order of what
 * follows.
 */
export const plainLine = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
