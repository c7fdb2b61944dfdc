/** Broker options of `svc serve`, `svc worker` and `svc batch`. */
import { Option } from 'commander';
import type { BrokerAddress } from '../../broker/connection.ts';
import { loadOptional, type OptionalFeature } from '../../optional-package.ts';
import { invalid, show } from '../../validation.ts';
import type { Io } from '../io.ts';

export interface BrokerOptions {
  readonly broker?: string;
  readonly queue: string;
}

export const brokerOption = (what: string): Option => new Option('--broker <url>', what);

export const queueOption = (): Option =>
  new Option('--queue <name>', 'queue at the broker; one for each model').default('speech').argParser((text) => {
    if (/^[\w-]{1,64}$/.test(text)) return text;
    throw invalid('1 to 64 letters, digits, hyphens or underscores', '--queue', show(text));
  });

/**
 * The address of `--broker`, else of `SVC_BROKER_URL`, which process lists do not show.
 *
 * @throws SvcError INVALID_REQUEST
 */
export async function chooseBroker(
  { broker }: BrokerOptions,
  { environment }: Pick<Io, 'environment'>,
  feature: OptionalFeature = 'svc serve --broker',
): Promise<BrokerAddress | undefined> {
  const url = broker ?? (environment.SVC_BROKER_URL || undefined);
  if (url === undefined) return undefined;
  return (await loadOptional(feature, () => import('../../broker/connection.ts'))).parseBrokerUrl(url);
}
