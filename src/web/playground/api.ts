/** Client of the HTTP API of the server that sent the page. URLs are relative: a proxy may add a prefix. */
import type { TimedWord } from '../../engine/timing/timed-text.ts';
import { attempt } from '../../errors.ts';
import type { GenerationOptions } from '../shared/options.ts';

export interface SpeechRequest extends GenerationOptions {
  readonly model: string;
  readonly input: string;
  readonly voice?: string;
  readonly input_format?: string;
  /** Voices by the names of speakers in a script. */
  readonly voices?: Readonly<Record<string, string>>;
}

export interface Voice {
  readonly id: string;
  readonly prompt_text: string | null;
  readonly duration_seconds: number;
  readonly sample_rate: number;
  readonly created_at: string;
  /** Built into the server, and not to be deleted. */
  readonly preset: boolean;
  readonly alias_of: string | null;
  readonly has_recording: boolean;
}

export interface ServerInfo {
  /** The default model. */
  readonly model: string;
  readonly models?: readonly string[];
  /** Null until the model was loaded for the first time. */
  readonly device: string | null;
  readonly sample_rate: number | null;
  readonly local_page?: boolean;
  readonly playback?: boolean | null;
}

const storageKey = 'svc-api-key';

/** A response with an error status, with the server's own message. */
export class ApiError extends Error {
  readonly status: number;
  /** Field at fault. */
  readonly param: string | undefined;

  constructor(status: number, message: string, param?: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.param = param;
  }
}

/** Kept for this tab; as long as the page where the user forbids storage, which then throws. */
let key = attempt(() => sessionStorage.getItem(storageKey)) ?? '';

export const getKey = (): string => key;

export function setKey(next: string): void {
  key = next;
  attempt(() => (key === '' ? sessionStorage.removeItem(storageKey) : sessionStorage.setItem(storageKey, key)));
}

/** @throws ApiError for an error status; Error when the server cannot be reached */
async function call(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  const sent = key;
  if (sent !== '') headers.set('Authorization', `Bearer ${sent}`);
  const response = await fetch(path, { ...options, headers }).catch((cause: unknown) => {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Error('Cannot reach the server. Check that it is running, then try again.', { cause });
  });
  if (response.ok) return response;
  if (response.status === 401) document.dispatchEvent(new CustomEvent('keyneeded', { detail: sent }));
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  const { status, statusText, headers } = response;
  const fallback = `The server returned ${status} ${statusText}`.trim();
  try {
    const { error } = await response.json();
    const message = typeof error === 'string' ? error : error?.message;
    const wait = headers.get('Retry-After');
    return new ApiError(status, `${message ?? fallback}${wait ? ` (try again in ${wait} s)` : ''}`, error?.param);
  } catch {
    return new ApiError(status, fallback);
  }
}

/** The part of a JSON answer that captions need. */
export interface TimedAnswer {
  readonly timestamps: { readonly items: readonly (TimedWord & { readonly sentence: number })[] };
}

/** A passage as the model gets it. */
export interface PassagePreview {
  readonly language: string | null;
  readonly language_by: 'stated' | 'voice' | 'detected' | 'document' | 'neighbours' | 'model' | 'none';
  readonly written: string;
  readonly spoken: string;
  readonly style: string | null;
  readonly voice: string | null;
  readonly left_out: readonly string[];
  /** Null if only a worker knows. */
  readonly unreadable: readonly string[] | null;
}

export interface TextPreview {
  readonly normalize: boolean;
  readonly passages: readonly PassagePreview[];
  readonly warnings: readonly string[];
}

interface PostOptions {
  readonly signal?: AbortSignal;
  /** Request ID, by which the request can be canceled. */
  readonly id?: string;
}

export const post = (path: string, body: object, { signal, id }: PostOptions = {}): Promise<Response> =>
  call(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(id && { 'X-Request-Id': id }) },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/** Sends a request that takes long. On abort, it is canceled by its ID: a proxy may keep the connection open. */
export async function postJob(
  path: string,
  body: object,
  signal: AbortSignal,
  read: (response: Response) => Promise<void>,
): Promise<void> {
  const id = `playground-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`;
  const tellServer = (): void => void post('v1/audio/speech/cancel', { job_id: id }).catch(() => {});
  signal.addEventListener('abort', tellServer, { once: true });
  try {
    await read(await post(path, body, { signal, id }));
  } finally {
    signal.removeEventListener('abort', tellServer);
  }
}

export const previewText = async (request: Omit<SpeechRequest, 'seed'>, signal: AbortSignal): Promise<TextPreview> =>
  (await post('v1/audio/speech/text', request, { signal })).json();

/** The texts of the header `Warning`: `299 svc "one", 299 svc "two"`. */
export const warningsOf = (headers: Headers): readonly string[] =>
  [...(headers.get('Warning') ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text
      .replace(/\\(.)/g, '$1')
      .replace(/U\+([\dA-F]{4,6}) ?/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))),
  );

export async function listVoices(): Promise<readonly Voice[]> {
  return (await (await call('v1/voices')).json()).data;
}

let known: ServerInfo | undefined;
let loading: Promise<ServerInfo> | undefined;

/** Undefined until `loadServer` has succeeded. */
export const knownServer = (): ServerInfo | undefined => known;

/** The server's description of itself: fetched once, and again if that failed. */
export function loadServer(): Promise<ServerInfo> {
  const load = async (): Promise<ServerInfo> => (await call('health')).json();
  loading ??= load().then(
    (info) => (known = info),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

export const deleteVoice = (id: string): Promise<Response> =>
  call(`v1/voices/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const voiceRecording = async (id: string): Promise<Blob> =>
  (await call(`v1/voices/${encodeURIComponent(id)}/audio`)).blob();

export interface NewVoice {
  readonly id: string;
  readonly audio: File;
  /** Empty if the server is to do without. */
  readonly text: string;
  readonly denoise: boolean;
  /** A BCP 47 tag, or empty. */
  readonly language: string;
}

export interface CreatedVoice extends Voice {
  /** Reasons why the voice may sound poor. */
  readonly warnings: readonly string[];
}

export async function createVoice({ id, audio, text, denoise, language }: NewVoice): Promise<CreatedVoice> {
  const body = new FormData();
  body.set('id', id);
  if (text !== '') body.set('text', text);
  if (denoise) body.set('denoise', 'true');
  if (language !== '') body.set('language', language);
  body.set('audio', audio);
  return (await call('v1/voices', { method: 'POST', body })).json();
}
