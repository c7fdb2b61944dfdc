/** Removes paths and network addresses from messages for clients. */

/** URLs of databases, brokers and files. */
const urls = /\b(?:rediss?|valkeys?|postgres(?:ql)?|file):\/\/[^\s"'),;]+/gi;
/** Addresses in system errors: `connect ECONNREFUSED 10.0.0.5:6379`, `getaddrinfo ENOTFOUND redis.internal`. */
const connections = /\b(E[A-Z_]{4,}) [\w.:[\]-]*[.:][\w.:[\]-]+/g;
/** Absolute paths, with the character before them; `and/or`, web addresses and routes after a method don't match. */
const paths = /(^|(?<!\b(?:GET|POST))[\s("'=])((?:\/[\w.@+~-]|[A-Za-z]:\\)[^\s"'),;]*)/g;

/** The last segment is cut off here, as a pattern for it would try each character of a long path as its beginning. */
function hidePath(found: string, before: string, path: string): string {
  const segment = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return segment === '' ? found : `${before}…/${segment}`;
}

/**
 * A second line of defense: messages for clients should not name places to begin with. Keeps the last segment of a path.
 *
 * @example
 * hidePlaces('cannot read /srv/voices/anna.wav: no such file'); // cannot read …/anna.wav: no such file
 */
export const hidePlaces = (message: string): string =>
  message.replace(urls, '…').replace(connections, '$1').replace(paths, hidePath);
