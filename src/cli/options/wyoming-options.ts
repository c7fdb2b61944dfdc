/** Options of `svc serve` about Wyoming clients. */
import { Option } from 'commander';
import type { Logger } from 'pino';
import type { ServerContext } from '../../server/context/context.ts';
import { formatWyomingAddress, parseWyomingAddress, type WyomingAddress } from '../../wyoming/address.ts';
import type { WyomingListener } from '../../wyoming/open-wyoming.ts';
import { isLoopback } from './access-options.ts';

export type WyomingOptions = { readonly wyoming?: WyomingAddress; readonly zeroconf: boolean };

export const wyomingOptions = (): readonly Option[] => [
  new Option(
    '--wyoming <uri>',
    'also serve Wyoming clients such as Home Assistant, at tcp://HOST:PORT or unix:///PATH, without authentication',
  ).argParser(parseWyomingAddress),
  new Option('--no-zeroconf', 'do not announce --wyoming to the local network'),
];

export const wyomingVariables: Readonly<Partial<Record<keyof WyomingOptions, string>>> = { wyoming: 'SVC_WYOMING' };

/** Opens the socket for Wyoming clients, with warnings about who may use it. @throws SvcError IO */
export async function openWyomingListener(
  context: ServerContext,
  address: WyomingAddress,
  { zeroconf }: WyomingOptions,
): Promise<WyomingListener> {
  const { openWyoming } = await import('../../wyoming/open-wyoming.ts');
  const isLocal = address.kind === 'unix' || isLoopback(address.host);
  const front = await openWyoming(context, { address, announce: zeroconf && !isLocal });
  warn(context.logger, front.address, { isLocal, hasKeys: context.settings.findKey !== undefined });
  return front;
}

function warn(
  logger: Logger,
  address: WyomingAddress,
  { isLocal, hasKeys }: { readonly isLocal: boolean; readonly hasKeys: boolean },
): void {
  if (isLocal && !hasKeys) return;
  const who = isLocal ? 'everyone on this machine' : 'everyone who can reach it';
  const keys = hasKeys ? '; API keys and their limits do not apply there' : '';
  logger.warn(`${formatWyomingAddress(address)} has no authentication: ${who} can use it${keys}`);
}
