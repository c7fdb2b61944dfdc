/** Texts that take a parser long: runs of characters of each kind, alone, in pairs and in triples. */

/** Longest text of an HTTP request, in UTF-16 code units. */
export const longest = 65_536;

/** One or two of each class that some stage of the text has a rule for. */
export const characters: readonly string[] = [
  ...['a', 'é', 'A', 'е', 'א', '汉', 'あ', '한', 'ก', 'अ'],
  ...['1', '½', '%', '$', '@', '+', '=', '&', '#', '/', '\\', ':', ';', ','],
  ...['.', '!', '?', '…', '。', '，', '၊', '-', '—', "'", '"', '”', '«', '「', '」'],
  ...['(', ')', '[', ']', '{', '}', '<', '>', '*', '_', '`', '~', '|'],
  ...[' ', '\t', '\n', '\r', '\u00a0', '\u2028', '\f', '\0', '\u001b', '\ufeff'],
  ...['\u0301', '\u200d', '\ufe0f', '🏻', '👨', '\ud83d', '\u{f0000}'],
];

/** Beginnings after which a run means something else, and ends that make a match fail. */
export const beginnings: readonly string[] = [
  ...['', 'abc'.repeat(120), 'http://x', 'x <a', '<a b="', '[pause:1', '{', '---\n', '~~~', '- ', '$', '“', '（'],
];
export const ends: readonly string[] = ['', 'a', ' a. ', '>', '`'];

/** A text of about this many UTF-16 code units. */
export const repeated = (piece: string, length: number): string =>
  piece.repeat(Math.max(1, Math.floor(length / piece.length)));
