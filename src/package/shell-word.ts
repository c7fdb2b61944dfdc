/** Quotes a path for a shell command in a message. */
export const shellWord = (path: string): string => (/^[\w./:\\@+-]+$/.test(path) ? path : `"${path}"`);
