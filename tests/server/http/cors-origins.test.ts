import { describe, expect, it } from '@jest/globals';
import { allowsOrigin, parseOrigin } from '../../../src/server/http/cors-origins.ts';

describe('parseOrigin', () => {
  it.each([
    ...['https://example.org', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'app://obsidian.md', 'ionic://localhost'],
    ...['capacitor://localhost', 'tauri://localhost', 'file://', 'null', 'vscode-webview://1aqh4f-2b'],
    ...['chrome-extension://abcdefghijklmnop', 'moz-extension://*', '*'],
  ])('accepts %s', (origin) => {
    expect(parseOrigin(origin)).toBe(origin);
  });

  it.each([
    ...['', 'example.org', 'https://example.org/', 'https://example.org/page', 'https://EXAMPLE.org', 'https://*'],
    ...['HTTPS://example.org', 'app://', 'app://a/b', 'app://a b', 'file:///home', 'app://*', 'NULL'],
  ])('refuses %j', (origin) => {
    expect(() => parseOrigin(origin)).toThrow(/^--cors-origin must be an origin such as https:\/\/example\.org, /);
  });
});

it('an allowed origin is that one alone', () => {
  const origins = ['app://obsidian.md', 'app://obsidian.md.evil', 'null', 'file://'];
  expect(origins.filter((one) => allowsOrigin(['app://obsidian.md'], one))).toEqual(['app://obsidian.md']);
  expect(allowsOrigin(['null'], 'null')).toBe(true);
});
