/** Model hub and cache folder, from environment variables. */
import { resolve } from 'node:path';
import { systemCacheFolder } from '../../hub/cache.ts';
import { defaultHub, type HubName, hubNames, hubs } from '../../hub/hubs.ts';
import type { ModelRequest } from '../../hub/resolve.ts';
import { show } from '../../messages.ts';
import { invalid, requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { readVariable } from '../options/environment-variables.ts';
import { parseName } from '../options/option-values.ts';

export type ModelEnvironment = Pick<ModelRequest, 'cacheFolder' | 'hub' | 'network'>;

/** Values that switch a setting on in Hugging Face's own clients; `readTruth` knows fewer. */
const hubTruths = new Set(['1', 'on', 'yes', 'true']);

/** The hub of names that state none: `SVC_HUB`, else Hugging Face. @throws SvcError INVALID_REQUEST */
export const hubOf = (io: Pick<Io, 'environment'>): HubName =>
  parseName('SVC_HUB', hubNames)(readVariable(io, 'SVC_HUB') ?? defaultHub);

/** `SVC_CACHE_DIR`, `HF_HUB_OFFLINE`, and the address and the token of a hub as its own clients read them. */
export function modelEnvironment(io: Pick<Io, 'environment' | 'signal'>, hub: HubName = defaultHub): ModelEnvironment {
  const { endpoint, endpointVariable, tokenVariable } = hubs[hub];
  const token = readVariable(io, tokenVariable);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw requestError(`${tokenVariable} must consist of visible ASCII characters`);
  const isOffline = hubTruths.has(readVariable(io, 'HF_HUB_OFFLINE')?.toLowerCase() ?? '');
  return {
    cacheFolder: resolve(readVariable(io, 'SVC_CACHE_DIR') ?? systemCacheFolder()),
    hub: {
      hub,
      endpoint: parseEndpoint(readVariable(io, endpointVariable) ?? endpoint, hub),
      token,
      signal: io.signal,
    },
    network: isOffline ? 'offline' : 'online',
  };
}

function parseEndpoint(text: string, hub: HubName): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '')
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  // A password in the address is not shown.
  const { endpoint, endpointVariable } = hubs[hub];
  throw invalid(`an address such as ${endpoint}`, endpointVariable, show(text.replace(/\/\/.*@/, '//…@')));
}
