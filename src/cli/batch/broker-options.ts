/** Options of `svc batch --broker`. */
import type { BrokerAddress } from '../../broker/shared/address.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseBroker, requireBroker } from '../options/broker-choice.ts';
import { refuseOptions } from '../options/options.ts';
import type { BatchOptions } from './batch-options.ts';

/** Retries of a line; each takes another worker if there is one. */
export const defaultRetries = 2;

/** Options that belong to workers. */
const workersOptions = {
  model: '--model',
  modelPath: '--model-path',
  type: '--type',
  file: '--file',
  hub: '--hub',
  backend: '--backend',
  threads: '--threads',
  ditType: '--dit-type',
  lora: '--lora',
  loraAlpha: '--lora-alpha',
  checkWith: '--check-with',
} as const satisfies Partial<Record<keyof BatchOptions, string>>;

/**
 * The address of `--broker`, else of `SVC_BROKER_URL`, which a model option overrides.
 *
 * @throws SvcError INVALID_REQUEST for options that don't fit
 */
export async function chooseBatchBroker(options: BatchOptions, io: Io): Promise<BrokerAddress | undefined> {
  const isLocal = options.broker === undefined && (options.model ?? options.modelPath) !== undefined;
  if (isLocal) requireBroker(options);
  const address = isLocal ? undefined : await chooseBroker(options, io, 'svc batch --broker');
  if (address === undefined) {
    if (options.retries !== undefined) throw requestError('--retries needs --broker');
    return undefined;
  }
  refuseOptions(options, workersOptions, 'cannot be combined with --broker; give it to svc worker');
  return address;
}
