/** Removes paths and network addresses from messages for clients. */

/** URLs of databases, brokers and files. */
const urls = /\b(?:rediss?|valkeys?|postgres(?:ql)?|file):\/\/[^\s"'),;]+/gi;
/** Addresses in system errors: `connect ECONNREFUSED 10.0.0.5:6379`, `getaddrinfo ENOTFOUND redis.internal`. */
const connections = /\b(E[A-Z_]{4,}) [\w.:[\]-]*[.:][\w.:[\]-]+/g;
/**
 * Absolute paths with what follows up to the end of the clause, and the character before; `and/or`, web addresses and routes
 * after a method don't match. In quotes, a path ends with them.
 */
const paths =
  /(^|(?<!\b(?:GET|POST))[\s("'=])((?<=")(?:\/[\w.@+~-]|[A-Za-z]:\\)[^"\n]*|(?:\/[\w.@+~-]|[A-Za-z]:\\)(?:[^\s"'),;:]|:(?!\s|$)| (?!\/|[A-Za-z]:\\))*)/g;

/** Keeps the last segment. A blank belongs to the path if a segment ends after it. */
function shorten(path: string, isQuoted: boolean): string {
  const last = /^.*[^\s/\\][/\\]/s.exec(path)?.[0] ?? path.slice(0, 1);
  const rest = path.slice(last.length);
  return isQuoted && rest === '' ? '…' : `…/${rest}`;
}

/**
 * A second line of defense: messages for clients should not name places to begin with. Keeps the last segment of a path.
 *
 * @example
 * redactPaths('cannot read /srv/My voices/anna.wav: no such file'); // cannot read …/anna.wav: no such file
 */
export const redactPaths = (message: string): string =>
  message
    .replace(urls, '…')
    .replace(connections, '$1')
    .replace(paths, (_found, before: string, path: string) => before + shorten(path, before === '"'));
