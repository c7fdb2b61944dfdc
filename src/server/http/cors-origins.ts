/** Origins of web pages, browser extensions and apps that may call the server. */
import { show } from '../../messages.ts';
import { invalid } from '../../validation.ts';

/**
 * As browsers and frameworks for apps write them: `https://example.org`, `app://obsidian.md`, `file://`. `*` in place of the
 * host is any extension of one browser: `moz-extension://*`.
 */
const appOrigin = /^(?:[a-z][a-z0-9+.-]*:\/\/[\w.-]+(?::\d{1,5})?|file:\/\/)$/;
const anyExtension = /^[a-z]+(?:-[a-z]+)*-extension:\/\/\*$/;

/** @param text also `null`, which pages from files and in sandboxes send, or `*` @throws SvcError INVALID_REQUEST */
export function parseOrigin(text: string): string {
  const isWeb = /^(?:https?|wss?|ftp):/i.test(text);
  const isOrigin = isWeb
    ? URL.canParse(text) && new URL(text).origin === text && !text.includes('*')
    : appOrigin.test(text);
  if (text === '*' || text === 'null' || isOrigin || anyExtension.test(text)) return text;
  throw invalid(
    'an origin such as https://example.org, app://obsidian.md or chrome-extension://ID, null, or *',
    '--cors-origin',
    show(text),
  );
}

/** @param allowed what `parseOrigin` accepts */
export const allowsOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.some((one) => one === '*' || one === origin || (one.endsWith('://*') && origin.startsWith(one.slice(0, -1))));
