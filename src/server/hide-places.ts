/** Keeps where things lie on this machine and in its network out of what clients read. */

/** Addresses of databases and brokers, and files, in URLs. */
const urls = /\b(?:rediss?|valkeys?|postgres(?:ql)?|file):\/\/[^\s"'),;]+/gi;
/** What the system says of a connection: `connect ECONNREFUSED 10.0.0.5:6379`, `getaddrinfo ENOTFOUND redis.internal`. */
const connections = /\b(E[A-Z_]{4,}) [\w.:[\]-]*[.:][\w.:[\]-]+/g;
/** Absolute paths. What stands before one is kept: `and/or` is none, nor is an address of the web. */
const paths = /(^|[\s("'=])(?:\/[\w.@+~-]|[A-Za-z]:\\)[^\s"'),;]*?([^\s"'),;/\\]+)(?=[\s"'),;]|$)/g;

/**
 * The second line of defence: messages that clients may read should name no places in the first place. Of a path, its last
 * name stays.
 *
 * @example
 * hidePlaces('expected a readable file for /srv/voices/anna.wav, received none'); // … for …/anna.wav, received none
 */
export const hidePlaces = (message: string): string =>
  message.replace(urls, '…').replace(connections, '$1').replace(paths, '$1…/$2');
