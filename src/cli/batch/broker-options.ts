/** Options of `svc batch --broker`. */
import type { BrokerAddress } from '../../broker/shared/address.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseBroker, requireBroker } from '../options/broker-choice.ts';
import { refuseOptions } from '../options/option-values.ts';
import type { BatchOptions } from './batch-options.ts';

/** Retries of a line; each takes another worker if there is one. */
export const defaultRetries = 2;

/** Options that belong to workers. */
const modelOptions = ['model', 'modelPath', 'type', 'file', 'hub', 'backend', 'threads', 'ditType'] as const;
const otherOptions = ['lora', 'loraAlpha', 'checkWith'] as const;

/** The address of `--broker`, else of `SVC_BROKER_URL`, which a model option overrides. */
export async function chooseBatchBroker(options: BatchOptions, io: Io): Promise<BrokerAddress | undefined> {
  const isLocal = options.broker === undefined && (options.model ?? options.modelPath) !== undefined;
  if (isLocal) requireBroker(options);
  const address = isLocal ? undefined : await chooseBroker(options, io, 'svc batch --broker');
  if (address === undefined) {
    if (options.retries !== undefined) throw requestError('--retries needs --broker');
    return undefined;
  }
  refuseOptions(options, [...modelOptions, ...otherOptions], 'cannot be combined with --broker; give it to svc worker');
  return address;
}
