/** The HTTP interface of the server that the page came from. Addresses are relative: a proxy may add a prefix. */

/**
 * @typedef {object} SpeechRequest
 * @property {string} [model]
 * @property {string} input
 * @property {string} [voice]
 * @property {number} seed
 * @property {number} [cfg_value]
 * @property {number} [inference_timesteps]
 * @property {number} [speed]
 *
 * @typedef {object} Voice
 * @property {string} id
 * @property {string | null} prompt_text
 * @property {number} duration_seconds
 * @property {number} sample_rate
 * @property {string} created_at
 * @property {boolean} preset whether it came with the server, which keeps it
 */

const storageKey = 'svc-api-key';

/** An answer that isn't a success, with the server's own message. */
export class ApiError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** The key of this tab; gone when it is closed. */
export const getKey = () => sessionStorage.getItem(storageKey) ?? '';

/** @param {string} key */
export function setKey(key) {
  if (key === '') sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, key);
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>} a success
 */
export async function call(path, options = {}) {
  const headers = new Headers(options.headers);
  if (getKey() !== '') headers.set('Authorization', `Bearer ${getKey()}`);
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new Error('The server cannot be reached.', { cause: thrown });
    throw thrown;
  }
  if (response.ok) return response;
  if (response.status === 401) document.dispatchEvent(new Event('keyneeded'));
  throw new ApiError(response.status, await errorMessage(response));
}

/** @param {Response} response */
async function errorMessage(response) {
  const fallback = `The server answered ${response.status} ${response.statusText}`.trim();
  try {
    const { error } = await response.json();
    const message = typeof error === 'string' ? error : error?.message;
    const wait = response.headers.get('Retry-After');
    return `${message ?? fallback}${response.status === 503 && wait ? ` (try again in ${wait} s)` : ''}`;
  } catch {
    return fallback;
  }
}

/** @param {string} path @param {object} body @param {AbortSignal} [signal] */
export const post = (path, body, signal) =>
  call(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/** @returns {Promise<readonly Voice[]>} */
export async function listVoices() {
  return (await (await call('v1/voices')).json()).data;
}

/** The name that requests give the model, or undefined. @returns {Promise<string | undefined>} */
export async function modelName() {
  const { data } = await (await call('v1/models')).json();
  return data?.[0]?.id;
}

/** @param {string} id */
export const deleteVoice = (id) => call(`v1/voices/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** @param {{ readonly id: string, readonly audio: File, readonly text: string }} voice */
export async function createVoice({ id, audio, text }) {
  const body = new FormData();
  body.set('id', id);
  body.set('text', text);
  body.set('audio', audio);
  return (await call('v1/voices', { method: 'POST', body })).json();
}
