/** Origins of web pages and browser extensions that may call the server. */
import { invalid, show } from '../validation.ts';

/** Extensions of one browser, by ID or all: `moz-extension://*`. Node's URL gives them no origin. */
const extensionOrigin = /^[a-z]+(?:-[a-z]+)*-extension:\/\/(?:\*|[\w-]+)$/;

/** @throws SvcError INVALID_REQUEST */
export function parseOrigin(text: string): string {
  const isPage = URL.canParse(text) && new URL(text).origin === text;
  if (text === '*' || isPage || extensionOrigin.test(text)) return text;
  throw invalid('an origin such as https://example.org or chrome-extension://ID, or *', '--cors-origin', show(text));
}

/** @param allowed what `parseOrigin` accepts */
export const allowsOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.some((one) => one === '*' || one === origin || (one.endsWith('://*') && origin.startsWith(one.slice(0, -1))));
