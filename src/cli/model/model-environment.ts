/** Where models come from and where they are kept, from the environment. */
import { resolve } from 'node:path';
import envPaths from 'env-paths';
import type { ModelRequest } from '../../hub/resolve.ts';
import type { Io } from '../io.ts';
import { invalidOption } from '../options/options.ts';

export type ModelEnvironment = Pick<ModelRequest, 'cacheFolder' | 'hub' | 'network'>;

const publicHub = 'https://huggingface.co';

/** Those of the hub's other clients. */
const truths = new Set(['1', 'on', 'yes', 'true']);

/**
 * `SVC_CACHE_DIR`, and `HF_ENDPOINT`, `HF_TOKEN` and `HF_HUB_OFFLINE` as the hub's other clients read them.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function modelEnvironment({ environment, signal }: Pick<Io, 'environment' | 'signal'>): ModelEnvironment {
  const token = environment.HF_TOKEN?.trim() || undefined;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw invalidOption('a token of letters and digits', 'HF_TOKEN', 'other characters');
  }
  const isOffline = truths.has(environment.HF_HUB_OFFLINE?.trim().toLowerCase() ?? '');
  return {
    cacheFolder: resolve(environment.SVC_CACHE_DIR || envPaths('svc', { suffix: '' }).cache),
    hub: { endpoint: parseEndpoint(environment.HF_ENDPOINT?.trim() || publicHub), token, signal },
    network: isOffline ? 'offline' : 'online',
  };
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }
  throw invalidOption('an address such as https://huggingface.co', 'HF_ENDPOINT', text.replace(/\/\/.*@/, '//…@'));
}
