/** Removes paths and network addresses from messages for clients. */

/** URLs of databases, brokers and files. */
const urls = /\b(?:rediss?|valkeys?|postgres(?:ql)?|file):\/\/[^\s"'),;]+/gi;
/** Addresses in system errors: `connect ECONNREFUSED 10.0.0.5:6379`, `getaddrinfo ENOTFOUND redis.internal`. */
const connections = /\b(E[A-Z_]{4,}) [\w.:[\]-]*[.:][\w.:[\]-]+/g;

/** Beginnings of absolute paths: `/srv`, `//nas/x`, `~/x`, `C:\x`, `\\server\share`; not of `and/or`, addresses, tags and routes. */
const begins =
  /(?<![\w/\\.\])}<>~%-])(?<!\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) )(?:~?\/(?=[^\s/\\"])|(?<!:)\/\/(?=[^\s/\\"])|[A-Za-z]:[\\/]|\\{2,4}(?=[^\s\\]))/g;
/** A quoted path ends with its quotes. */
const closingQuote = /(?<!\\)"|\n/g;
/** Any other ends before another path or a remedy, at the latest. */
const otherClause = /["\n]|;\s|[\s[(`=](?=~?\/|[A-Za-z]:[\\/]|\\\\)/g;
/** Words with a slash that end no segment. */
const slashedWords = /\b(?:and|audio|video|image|text|application|multipart|font|model|HTTP|I|km|m)\/(?=\w)/g;
const endOfName = /[\s"'),;:\]}`]/;

const indexOf = (pattern: RegExp, text: string, start: number): number => {
  pattern.lastIndex = start;
  return pattern.exec(text)?.index ?? text.length;
};

/**
 * A second line of defense: messages for clients should not name places to begin with. Keeps the last segment of a path.
 * Commas, colons, quotes, brackets and blanks belong to a path if a segment ends after them.
 *
 * @example
 * redactPaths('cannot read /srv/My voices/anna.wav: no such file'); // cannot read …/anna.wav: no such file
 */
export function redactPaths(message: string): string {
  const text = message.replace(urls, '…').replace(connections, '$1');
  let redacted = '';
  let done = 0;
  for (;;) {
    const start = indexOf(begins, text, done);
    redacted += text.slice(done, start);
    if (start === text.length) return redacted;
    const isQuoted = text[start - 1] === '"';
    const path = text.slice(start, indexOf(isQuoted ? closingQuote : otherClause, text, start + 1));
    const [kept, length] = shorten(path, isQuoted);
    redacted += kept;
    done = start + length;
  }
}

/** @returns what is shown of a path, and the characters that belong to it */
function shorten(path: string, isQuoted: boolean): readonly [shown: string, length: number] {
  const separated = path.replace(slashedWords, (word) => ' '.repeat(word.length));
  // A separator at the very end names the folder before it.
  const last = Math.max(...['/', '\\'].map((separator) => separated.trimEnd().slice(0, -1).lastIndexOf(separator)));
  const name = path.slice(last + 1);
  const end = isQuoted ? name.length : (endOfName.exec(name)?.index ?? name.length);
  const shown = name.slice(0, end);
  return [isQuoted && shown === '' ? '…' : `…/${shown}`, last + 1 + end];
}
