/** Model hub and cache folder, from environment variables. */
import { resolve } from 'node:path';
import envPaths from 'env-paths';
import type { ModelRequest } from '../../hub/resolve.ts';
import { invalid, requestError, show } from '../../validation.ts';
import type { Io } from '../io.ts';

export type ModelEnvironment = Pick<ModelRequest, 'cacheFolder' | 'hub' | 'network'>;

const publicHub = 'https://huggingface.co';

/** As in Hugging Face's own clients. */
const truths = new Set(['1', 'on', 'yes', 'true']);

/**
 * `SVC_CACHE_DIR`, and `HF_ENDPOINT`, `HF_TOKEN` and `HF_HUB_OFFLINE` as Hugging Face's own clients read them.
 *
 * @throws SvcError INVALID_REQUEST
 */
export function modelEnvironment({ environment, signal }: Pick<Io, 'environment' | 'signal'>): ModelEnvironment {
  const token = environment.HF_TOKEN?.trim() || undefined;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw requestError('HF_TOKEN must consist of visible ASCII characters');
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
  // A password in the address is not shown.
  throw invalid('an address such as https://huggingface.co', 'HF_ENDPOINT', show(text.replace(/\/\/.*@/, '//…@')));
}
