/** A path as one word of a command that a person copies into a shell. */
export const shellWord = (path: string): string => (/^[\w./:\\@+-]+$/.test(path) ? path : `"${path}"`);
