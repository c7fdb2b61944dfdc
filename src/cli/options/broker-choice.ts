/** Options about the broker that front ends and workers share. */
import { Option } from 'commander';
import type { BrokerAddress } from '../../broker/connection.ts';
import { loadOptional } from '../../optional-package.ts';
import type { Io } from '../io.ts';
import { invalidOption } from './options.ts';

export interface BrokerOptions {
  readonly broker?: string;
  readonly queue: string;
}

export const brokerOption = (what: string): Option => new Option('--broker <url>', what);

export const queueOption = (): Option =>
  new Option('--queue <name>', 'queue at the broker; one for each model').default('speech').argParser((text) => {
    if (/^[\w-]{1,64}$/.test(text)) return text;
    throw invalidOption('1 to 64 letters, digits, hyphens and underscores', '--queue', text || 'an empty text');
  });

/**
 * `--broker`, else `SVC_BROKER_URL`, which does not show in lists of processes.
 *
 * @throws SvcError INVALID_REQUEST
 */
export async function chooseBroker(
  { broker }: BrokerOptions,
  { environment }: Pick<Io, 'environment'>,
): Promise<BrokerAddress | undefined> {
  const url = broker ?? (environment.SVC_BROKER_URL || undefined);
  if (url === undefined) return undefined;
  return (await loadOptional('svc serve --broker', () => import('../../broker/connection.ts'))).parseBrokerUrl(url);
}
