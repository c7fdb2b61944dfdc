/** Where Wyoming clients connect, as the protocol's own programs write it. */

import { show } from '../messages.ts';
import { invalid } from '../validation.ts';

export type WyomingAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/**
 * @example parseWyomingAddress('tcp://127.0.0.1:10200');
 * @throws SvcError INVALID_REQUEST
 */
export function parseWyomingAddress(text: string): WyomingAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && url.protocol === 'tcp:' && url.hostname !== '' && url.port !== '' && /^\/?$/.test(url.pathname)) {
    return { kind: 'tcp', host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
  }
  if (isPlain && url.protocol === 'unix:' && url.host === '' && /^\/./.test(url.pathname)) {
    return { kind: 'unix', path: decodeURIComponent(url.pathname) };
  }
  throw invalid('tcp://HOST:PORT or unix:///PATH', '--wyoming', show(text));
}

export const formatWyomingAddress = (address: WyomingAddress): string => {
  if (address.kind === 'unix') return `unix://${address.path}`;
  const { host, port } = address;
  return `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`;
};
