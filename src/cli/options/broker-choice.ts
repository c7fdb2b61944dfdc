/** Broker options of `svc serve`, `svc worker` and `svc batch`. */
import { Option } from 'commander';
import { type BrokerAddress, type BrokerTls, parseBrokerUrl } from '../../broker/shared/address.ts';
import { show } from '../../messages.ts';
import { loadOptional, type OptionalFeature } from '../../package/optional-package.ts';
import { readCertificate, readPair } from '../../server/http/tls-files.ts';
import { invalid, requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { readVariable } from './environment-variables.ts';
import { grouped, refuseOptions } from './option-values.ts';

export interface BrokerOptions {
  readonly broker?: string;
  readonly brokerCa?: string;
  readonly brokerCert?: string;
  readonly brokerKey?: string;
  readonly queue?: string;
  readonly defaultModel?: string;
}

export const defaultQueue = 'speech';

/** @param conflicts options that can't be combined with `--broker` */
export const brokerOptions = (what: string, conflicts: readonly string[] = []): readonly Option[] =>
  grouped('Broker:', [
    new Option('--broker <url>', what).conflicts([...conflicts]),
    '--broker-ca <file>: CA certificates for a rediss:// broker, in PEM',
    '--broker-cert <file>: client certificate for a rediss:// broker, in PEM',
    '--broker-key <file>: private key of the client certificate, in PEM',
    new Option('--queue <name>', `queue at the broker (default: ${defaultQueue})`).argParser((text) => {
      if (/^[\w-]{1,64}$/.test(text)) return text;
      throw invalid('1 to 64 letters, digits, hyphens or underscores', '--queue', show(text));
    }),
    '--default-model <name>: model of requests that name none (default: the one whose first worker came first)',
  ]);

/** The address of `--broker`, else of `SVC_BROKER_URL`, which process lists do not show; likewise its certificates. */
export async function chooseBroker(
  options: BrokerOptions,
  io: Pick<Io, 'environment'>,
  feature: OptionalFeature = 'svc serve --broker',
): Promise<BrokerAddress | undefined> {
  const url = options.broker ?? readVariable(io, 'SVC_BROKER_URL');
  if (url === undefined) {
    requireBroker(options);
    return undefined;
  }
  await loadOptional(feature, () => import('../../broker/shared/connection.ts'));
  const sentinelPassword = readVariable(io, 'SVC_BROKER_SENTINEL_PASSWORD');
  return parseBrokerUrl(url, { tls: await readTls(options, io), sentinelPassword });
}

/** Refuses options of a broker where none is used. @throws SvcError INVALID_REQUEST */
export function requireBroker(options: BrokerOptions): void {
  refuseOptions(options, ['queue', 'defaultModel', 'brokerCa', 'brokerCert', 'brokerKey'], 'needs --broker');
}

const flags = { cert: '--broker-cert', key: '--broker-key' };

async function readTls(options: BrokerOptions, io: Pick<Io, 'environment'>): Promise<BrokerTls | undefined> {
  const ca = options.brokerCa ?? readVariable(io, 'SVC_BROKER_CA');
  const cert = options.brokerCert ?? readVariable(io, 'SVC_BROKER_CERT');
  const key = options.brokerKey ?? readVariable(io, 'SVC_BROKER_KEY');
  if ((cert === undefined) !== (key === undefined))
    throw requestError('--broker-cert and --broker-key need each other');
  const pair = cert !== undefined && key !== undefined ? (await readPair({ cert, key }, flags)).pair : undefined;
  const authority = ca === undefined ? undefined : await readCertificate('--broker-ca', ca);
  return pair || authority ? { ...pair, ...(authority && { ca: authority }) } : undefined;
}
