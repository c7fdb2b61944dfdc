/** Options of `svc serve` about its clients: API keys, limits, web pages, proxies, TLS, Wyoming. */
import { Option } from 'commander';
import type { Logger } from 'pino';
import { show } from '../../messages.ts';
import type { ServerContext } from '../../server/context/context.ts';
import type { ServerSettings } from '../../server/context/settings.ts';
import { digestOf, findAmong, isKey, limitRanges } from '../../server/http/api-keys.ts';
import { parseOrigin } from '../../server/http/cors-origins.ts';
import type { TlsFiles } from '../../server/http/tls-files.ts';
import { requestError } from '../../validation.ts';
import { formatWyomingAddress, parseWyomingAddress, type WyomingAddress } from '../../wyoming/address.ts';
import type { WyomingListener } from '../../wyoming/open-wyoming.ts';
import type { Io } from '../io.ts';
import { readVariable } from './environment-variables.ts';
import { type Described, rangeOption } from './option-values.ts';

export interface AccessOptions {
  readonly host: string;
  readonly apiKey?: string;
  readonly apiKeys?: string;
  readonly disableAuth?: boolean;
  readonly publicLists?: boolean;
  readonly rateLimit?: number;
  readonly concurrencyLimit?: number;
  readonly corsOrigin?: readonly string[];
  readonly trustProxy?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const ofKeys = ['apiKey', 'apiKeys', 'publicLists'];

export const accessOptions = (): readonly Described[] => [
  '--api-key <key>: bearer token that requests must send',
  '--api-keys <file>: JSON file of API keys with names and limits; reloaded when it changes',
  new Option('--disable-auth', 'accept requests without an API key from every machine').conflicts(ofKeys),
  '--public-lists: list voices and models without an API key',
  rangeOption('--rate-limit', limitRanges.rateLimit, 'maximum requests per minute and API key'),
  rangeOption('--concurrency-limit', limitRanges.concurrencyLimit, 'maximum running and waiting requests per API key'),
  new Option(
    '--cors-origin <origin>',
    'origin of a web page or browser extension that may call the server, or * for all; may be repeated',
  ).argParser((origins: string, others: readonly string[] = []) => [...others, ...origins.split(',').map(parseOrigin)]),
  '--trust-proxy <proxies>: trusted proxies for X-Forwarded-For: a number of hops, or addresses',
  '--tls-cert <file>: certificate chain in PEM; enables HTTPS, reloaded when it changes',
  '--tls-key <file>: private key of the certificate in PEM',
];

export interface Access {
  readonly settings: Pick<ServerSettings, 'findKey' | 'hosts' | 'lists' | 'corsOrigins' | 'trustProxy'>;
  readonly tls: TlsFiles | undefined;
  /** Stops following the key file. */
  close(): void;
}

/** Reads the files of the options. @throws SvcError also when other machines could reach a server without a key */
export async function openAccess(options: AccessOptions, io: Io, logger: Logger): Promise<Access> {
  const { trustProxy = 'false', corsOrigin: corsOrigins = [], publicLists } = options;
  const { parseTrustProxy } = await import('../../server/http/trust-proxy.ts');
  const proxies = parseTrustProxy(trustProxy);
  const tls = await openTls(options, logger);
  const { findKey, close } = await openKeys(options, io, logger);
  if (findKey === undefined && corsOrigins.includes('*')) {
    logger.warn('without an API key, --cors-origin * lets every web page that a visitor opens use this server');
  }
  return {
    settings: {
      findKey,
      hosts: findKey !== undefined ? 'any' : options.disableAuth ? 'local' : 'loopback',
      lists: publicLists ? 'public' : 'private',
      corsOrigins,
      trustProxy: proxies,
    },
    tls,
    close,
  };
}

type OpenKeys = Pick<ServerSettings, 'findKey'> & Pick<Access, 'close'>;

async function openKeys(options: AccessOptions, io: Io, logger: Logger): Promise<OpenKeys> {
  const { host, apiKeys: path, disableAuth, rateLimit, concurrencyLimit, publicLists } = options;
  const key = options.apiKey ?? readVariable(io, 'SVC_API_KEY');
  if (key !== undefined && !isKey(key)) {
    // The key itself is not shown.
    throw requestError(`--api-key ${key === '' ? 'is empty' : 'must consist of visible ASCII characters'}`);
  }
  const close = (): void => undefined;
  const defaults = { rateLimit, concurrencyLimit };
  const others = key === undefined ? [] : [{ name: 'api-key', digest: digestOf(key), ...defaults }];
  if (!disableAuth && path !== undefined) {
    const { openKeyFile } = await import('../../server/http/key-file.ts');
    const file = await openKeyFile(path, { defaults, others, logger });
    return { findKey: file.find, close: file.close };
  }
  if (!disableAuth && key !== undefined) return { findKey: findAmong(others), close };
  const keyed = { '--rate-limit': rateLimit, '--concurrency-limit': concurrencyLimit, '--public-lists': publicLists };
  const [needy] = Object.entries(keyed).find(([, value]) => value !== undefined && value !== false) ?? [];
  if (needy !== undefined) throw requestError(`${needy} needs API keys: set --api-key or --api-keys`);
  // Those of the command line conflict.
  if (disableAuth && (key !== undefined || path !== undefined)) {
    logger.warn(
      `--disable-auth ignores ${path === undefined ? 'SVC_API_KEY' : 'SVC_API_KEYS'}: no API key is required`,
    );
  }
  if (disableAuth || isLoopback(host)) return { close };
  throw requestError(
    `--host ${show(host)} is reachable from other machines: set --api-key, or --disable-auth to serve everyone`,
  );
}

/** Whether only this machine can reach the address. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);

async function openTls({ tlsCert: cert, tlsKey: key }: AccessOptions, logger: Logger): Promise<TlsFiles | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw requestError('--tls-cert and --tls-key must be given together');
  const { openTlsFiles } = await import('../../server/http/tls-files.ts');
  return openTlsFiles({ cert, key }, logger);
}

export type WyomingOptions = { readonly wyoming?: WyomingAddress; readonly zeroconf: boolean };

export const wyomingOptions = (): readonly Described[] => [
  new Option(
    '--wyoming <uri>',
    'also serve Wyoming clients such as Home Assistant, at tcp://HOST:PORT or unix:///PATH, without authentication',
  ).argParser(parseWyomingAddress),
  '--no-zeroconf: do not announce --wyoming to the local network',
];

/** Opens the socket for Wyoming clients, with warnings about who may use it. @throws SvcError IO */
export async function openWyomingListener(
  context: ServerContext,
  address: WyomingAddress,
  { zeroconf }: WyomingOptions,
): Promise<WyomingListener> {
  const { openWyoming } = await import('../../wyoming/open-wyoming.ts');
  const isLocal = address.kind === 'unix' || isLoopback(address.host);
  const front = await openWyoming(context, { address, announce: zeroconf && !isLocal });
  const hasKeys = context.settings.findKey !== undefined;
  if (isLocal && !hasKeys) return front;
  const who = isLocal ? 'everyone on this machine' : 'everyone who can reach it';
  const keys = hasKeys ? '; API keys and their limits do not apply there' : '';
  context.logger.warn(`${formatWyomingAddress(front.address)} has no authentication: ${who} can use it${keys}`);
  return front;
}
