/** Certificate and key for HTTPS, read again whenever they change. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { attempt, messageOf, SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';
import { requestError } from '../../validation.ts';
import { watchFiles } from './watch-files.ts';

interface TlsPaths {
  /** Certificate, followed by those of its issuers, in PEM. */
  readonly cert: string;
  /** Private key in PEM, not encrypted. */
  readonly key: string;
}

type TlsPair = Readonly<Record<keyof TlsPaths, Buffer>>;

export type TlsFiles = Awaited<ReturnType<typeof openTlsFiles>>;

interface TlsTiming {
  /** How often the files are checked for changes, in milliseconds (default: 1000). */
  readonly checkMilliseconds?: number;
  /** Waits for the second file to be replaced after the first one (default: for 2 seconds). */
  readonly settle?: () => Promise<void>;
}

const settleShortly = (): Promise<void> => delay(2_000, undefined, { ref: false });

/** @throws SvcError INVALID_REQUEST */
export async function openTlsFiles(
  paths: TlsPaths,
  logger: Logger,
  { checkMilliseconds, settle = settleShortly }: TlsTiming = {},
) {
  const { pair, expires } = await readPair(paths);
  warnIfExpired(paths, expires, logger);
  return {
    pair,
    /** Calls `use` with each new pair. Returns a function that ends the watch. */
    follow: (use: (pair: TlsPair) => void): (() => void) => {
      let current = pair;
      const reload = async (): Promise<void> => {
        try {
          // Both files can't be replaced at the same time.
          const next = await readPair(paths).catch(async () => {
            await settle();
            return readPair(paths);
          });
          if (next.pair.cert.equals(current.cert) && next.pair.key.equals(current.key)) return;
          current = next.pair;
          use(next.pair);
          logger.info({ file: paths.cert, expires: next.expires }, 'TLS certificate reloaded');
          warnIfExpired(paths, next.expires, logger);
        } catch (error) {
          logger.error({ reason: messageOf(error) }, 'TLS certificate not reloaded; the old one stays in use');
        }
      };
      return watchFiles([paths.cert, paths.key], reload, checkMilliseconds);
    },
  };
}

/** @param flags options that name the files, for messages @throws SvcError INVALID_REQUEST */
export async function readPair(
  paths: TlsPaths,
  flags = { cert: '--tls-cert', key: '--tls-key' },
): Promise<{ readonly pair: TlsPair; readonly expires: string }> {
  const [cert, key] = await Promise.all([read(flags.cert, paths.cert), read(flags.key, paths.key)]);
  const certificate = parseCertificate(cert, flags.cert, paths.cert);
  if (!certificate.checkPrivateKey(parseKey(key, flags.key, paths.key))) {
    throw requestError(`${flags.key} ${paths.key} is not the key of the certificate ${flags.cert} ${paths.cert}`);
  }
  return { pair: { cert, key }, expires: certificate.validTo };
}

/** @throws SvcError INVALID_REQUEST */
export async function readCertificate(option: string, path: string): Promise<Buffer> {
  const bytes = await read(option, path);
  parseCertificate(bytes, option, path);
  return bytes;
}

const read = (option: string, path: string): Promise<Buffer> =>
  readFile(path).catch((cause: unknown) => {
    throw new SvcError('INVALID_REQUEST', `cannot read ${option} ${path}: ${reasonOf(cause)}`, { cause });
  });

function parseCertificate(bytes: Buffer, option: string, path: string): X509Certificate {
  // Node also takes DER here, but not for a server.
  const certificate = bytes.includes('-----BEGIN ') ? attempt(() => new X509Certificate(bytes)) : undefined;
  if (certificate !== undefined) return certificate;
  throw requestError(`${option} ${path} is not a certificate in PEM format`);
}

function parseKey(bytes: Buffer, option: string, path: string): KeyObject {
  const key = attempt(() => createPrivateKey(bytes));
  if (key !== undefined) return key;
  throw requestError(
    bytes.includes('ENCRYPTED')
      ? `${option} ${path} is encrypted; decrypt it with: openssl pkey -in ${path} -out key.pem`
      : `${option} ${path} is not a private key in PEM format`,
  );
}

function warnIfExpired({ cert }: TlsPaths, expires: string, logger: Logger): void {
  if (Date.parse(expires) < Date.now()) logger.warn({ file: cert, expires }, 'the TLS certificate has expired');
}
