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

/** Of this tab; gone when it is closed. Storage throws where the user forbids it. */
let key = '';
try {
  key = sessionStorage.getItem(storageKey) ?? '';
} catch {
  // The key lasts as long as the page.
}

export const getKey = () => key;

/** @param {string} next */
export function setKey(next) {
  key = next;
  try {
    if (key === '') sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, key);
  } catch {
    // As above.
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>} a success
 */
export async function call(path, options = {}) {
  const headers = new Headers(options.headers);
  const sent = key;
  if (sent !== '') headers.set('Authorization', `Bearer ${sent}`);
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new Error('The server cannot be reached.', { cause: thrown });
    throw thrown;
  }
  if (response.ok) return response;
  if (response.status === 401) document.dispatchEvent(new CustomEvent('keyneeded', { detail: sent }));
  throw new ApiError(response.status, await errorMessage(response));
}

/** @param {Response} response */
async function errorMessage(response) {
  const fallback = `The server answered ${response.status} ${response.statusText}`.trim();
  try {
    const { error } = await response.json();
    const message = typeof error === 'string' ? error : error?.message;
    const wait = response.headers.get('Retry-After');
    return `${message ?? fallback}${wait ? ` (try again in ${wait} s)` : ''}`;
  } catch {
    return fallback;
  }
}

/**
 * @typedef {object} PostOptions
 * @property {AbortSignal} [signal]
 * @property {string} [id] of the request, by which it can be cancelled
 */

/** @param {string} path @param {object} body @param {PostOptions} [options] */
export const post = (path, body, { signal, id } = {}) =>
  call(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(id && { 'X-Request-Id': id }) },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/**
 * Asks for something that takes long. Hanging up would be enough for this server; a proxy between may keep the
 * connection up, so the server is told by the name of the request too.
 *
 * @param {string} path @param {object} body @param {AbortSignal} signal
 * @param {(response: Response) => Promise<void>} read
 */
export async function postJob(path, body, signal, read) {
  const id = `playground-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;
  const tellServer = () => void post('v1/audio/speech/cancel', { job_id: id }).catch(() => {});
  signal.addEventListener('abort', tellServer, { once: true });
  try {
    await read(await post(path, body, { signal, id }));
  } finally {
    signal.removeEventListener('abort', tellServer);
  }
}

/** The texts of the header `Warning`: `299 svc "one", 299 svc "two"`. @param {Headers} headers @returns {readonly string[]} */
export const warningsOf = (headers) =>
  [...(headers.get('Warning') ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text
      .replace(/\\(.)/g, '$1')
      .replace(/U\+([\dA-F]{4,6}) ?/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))),
  );

/** @returns {Promise<readonly Voice[]>} */
export async function listVoices() {
  return (await (await call('v1/voices')).json()).data;
}

/** @returns {Promise<{ readonly model: string, readonly device: string, readonly sample_rate: number, readonly local_page?: boolean, readonly playback?: boolean | null, readonly fixed_voice?: boolean }>} */
export const serverInfo = async () => (await call('health')).json();

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
