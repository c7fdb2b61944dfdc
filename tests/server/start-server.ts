/** Starts a server on a real socket, with a fake backend or the test's engine. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { type AdmissionQueue, createQueue } from '../../src/admission/queue.ts';
import type { AudioSink } from '../../src/audio/encode/sink.ts';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import type { OpenPlayer } from '../../src/audio/loudspeaker.ts';
import { createEngineFromBackend, type Engine } from '../../src/engine/engine.ts';
import { type AdapterCatalog, createAdapterCatalog } from '../../src/engine/lora/adapter-catalog.ts';
import type { Recognize } from '../../src/engine/recognize.ts';
import { createMetrics, type Metrics } from '../../src/metrics/metrics.ts';
import { createModelNames } from '../../src/model-pool/model-names.ts';
import { createFixedModel, type ServedModels } from '../../src/model-pool/served-models.ts';
import { defaultLimits, type ServerLimits, type ServerSettings } from '../../src/server/context/settings.ts';
import { digestOf, findAmong, type KeyLimits } from '../../src/server/http/api-keys.ts';
import type { ListenOptions } from '../../src/server/listen.ts';
import { openServer, type ServerOptions } from '../../src/server/open-server.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import type { VoiceStore } from '../../src/voices/voice-store.ts';
import { createFakeBackend, type FakeBackend, type FakeOptions } from '../engine/fake-backend.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openStream, type StreamClient, type StreamOptions } from './stream-client.ts';

export interface StartOptions {
  readonly backend?: FakeOptions;
  readonly engine?: Engine;
  readonly settings?: Partial<ServerSettings> & {
    readonly apiKey?: string;
    /** Limits of each API key, which is its own name. */
    readonly keys?: Readonly<Record<string, KeyLimits>>;
  };
  readonly loras?: AdapterCatalog;
  /** Whether names of other models are refused. */
  readonly modelMatch?: 'exact' | 'any';
  /** In place of the engine. */
  readonly models?: (logger: Logger, metrics: Metrics) => Promise<ServedModels>;
  readonly limits?: Partial<ServerLimits>;
  readonly slots?: number;
  readonly dialects?: ServerOptions['dialects'];
  readonly maxWaiting?: number;
  readonly listen?: Partial<ListenOptions>;
  readonly openPlayer?: OpenPlayer;
  readonly recognize?: Recognize | undefined;
  readonly playback?: Promise<boolean>;
  readonly openProtocolServer?: ServerOptions['openProtocolServer'];
  /** Default: none, as loading a codec takes longer than most tests. */
  readonly formatsAhead?: ServerOptions['formatsAhead'];
  /** Writes files before the server starts. */
  readonly voiceFiles?: (folder: string) => Promise<void>;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly backend: FakeBackend;
  readonly store: VoiceStore;
  readonly queue: AdmissionQueue;
  readonly folder: string;
  /** Log lines. */
  readonly log: readonly string[];
  /** Log lines with all of these parts. */
  logged(...parts: readonly string[]): readonly string[];
  close(milliseconds?: number): Promise<void>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The object that a path answers with. */
  json<Answer = Readonly<Record<string, unknown>>>(path: string, init?: RequestInit): Promise<Answer>;
  /** The text that a path answers with. */
  text(path: string, init?: RequestInit): Promise<string>;
  remove(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: object, init?: RequestInit): Promise<Response>;
  send(path: string, fields: FormFields, init?: RequestInit): Promise<Response>;
  speak(body: object, init?: RequestInit): Promise<Response>;
  /** The bytes of a speech that must succeed. */
  hear(body: object, init?: RequestInit): Promise<Buffer>;
  /** Begins a speech that keeps its slot. */
  occupy(body?: object, init?: RequestInit): Promise<Occupied>;
  /** Opens the WebSocket of streamed speech, or of another path. */
  stream(options?: StreamOptions): Promise<StreamClient>;
}

export interface Occupied {
  readonly answer: Promise<Response>;
  /** Lets the model go on. */
  release(): void;
  /** Lets the speech end; returns its bytes. */
  end(): Promise<Buffer>;
}

export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const folder = await temporaryFolder();
  await options.voiceFiles?.(folder.path);
  const backend = createFakeBackend({ stopAt: 4, ...options.backend });
  const slots = options.slots ?? 4;
  const metrics = createMetrics();
  const loras = options.loras ?? createAdapterCatalog();
  const engine =
    options.engine ??
    createEngineFromBackend(backend, { maxBatch: slots, onStep: metrics.batch, recognize: options.recognize, loras });
  const store = await storeOnDemand(folder.join('voices.sqlite'));
  const { logger, lines } = collectLog();
  const { apiKey, keys = apiKey === undefined ? undefined : { test: {} }, ...given } = options.settings ?? {};
  const settings: ServerSettings = {
    findKey:
      keys &&
      findAmong(Object.entries(keys).map(([name, key]) => ({ name, digest: digestOf(apiKey ?? name), ...key }))),
    lists: 'private',
    trustProxy: false,
    strictness: 'lenient',
    hosts: 'loopback',
    timesteps: 10,
    recordingFolders: [folder.path],
    modelsFolder: '/models',
    voiceFolder: folder.path,
    consentFolder: folder.join('consents'),
    corsOrigins: [],
    sseDialect: 'public',
    pcmRate: 'public',
    ...given,
    // A patch of the fake backend has four samples, so its recordings are short.
    limits: { ...defaultLimits, shortestRecordingSeconds: 0, ...options.limits },
  };
  const queue = createQueue({ slots, maxWaiting: options.maxWaiting ?? 8 });
  const server = await openServer({
    models:
      (await options.models?.(logger, metrics)) ??
      createFixedModel(
        engine,
        createModelNames({ names: ['fake'], aliases: new Map(), match: options.modelMatch ?? 'any' }),
      ),
    // As svc serve: only the adapters of a single model are tried out.
    loras: options.models === undefined ? (engine.loras ?? loras) : loras,
    store,
    settings,
    queue,
    ...(options.dialects && { dialects: options.dialects }),
    listen: { host: '127.0.0.1', port: 0, ...options.listen },
    metrics,
    logger,
    signal: new AbortController().signal,
    ...(options.openPlayer === undefined ? {} : { openPlayer: options.openPlayer }),
    playback: options.playback,
    openProtocolServer: options.openProtocolServer,
    formatsAhead: options.formatsAhead ?? [],
    recognize: options.recognize,
  });
  const url = `http://127.0.0.1:${server.port}`;
  let closing: Promise<void> | undefined;
  const close = (milliseconds = 0): Promise<void> => {
    closing ??= (async () => {
      await server.close(milliseconds);
      await engine.close();
      await store.close();
      await folder[Symbol.asyncDispose]();
    })();
    return closing;
  };
  const at = (path: string): string => `${url}${path}`;
  const speak: TestServer['speak'] = (body, init) => post(at('/v1/audio/speech'), body, init);
  return {
    url,
    port: server.port,
    backend,
    store,
    queue,
    folder: folder.path,
    log: lines,
    logged: (...parts) => lines.filter((line) => parts.every((part) => line.includes(part))),
    close,
    fetch: (path, init) => fetch(at(path), init),
    json: async <Answer>(path: string, init?: RequestInit) => (await (await fetch(at(path), init)).json()) as Answer,
    text: async (path, init) => (await fetch(at(path), init)).text(),
    remove: (path, init) => fetch(at(path), { method: 'DELETE', ...init }),
    post: (path, body, init) => post(at(path), body, init),
    send: (path, fields, init) => fetch(at(path), { method: 'POST', body: formOf(fields), ...init }),
    speak,
    hear: (body, init) => bytesOf(speak(body, init)),
    async occupy(body = { input: 'hello', response_format: 'pcm' }, init) {
      const release = backend.hold();
      const before = backend.calls.length;
      const answer = speak(body, init);
      await eventually(() => backend.calls.length > before, 'the engine is busy');
      return {
        answer,
        release,
        end() {
          release();
          return bytesOf(answer);
        },
      };
    },
    stream: (streamOptions) => openStream(url, streamOptions),
    [Symbol.asyncDispose]: () => close(),
  };
}

/** An empty store, whose file is opened by what writes to it first: most tests have no use for it. */
async function storeOnDemand(path: string): Promise<VoiceStore> {
  const isGiven = existsSync(path);
  if (!isGiven) await writeFile(path, await emptyStore(), { mode: 0o600 });
  let opening = isGiven ? openSqliteVoiceStore(path) : undefined;
  const open = (): Promise<VoiceStore> => {
    opening ??= openSqliteVoiceStore(path);
    return opening;
  };
  const close = async (): Promise<void> => (await opening)?.close();
  return {
    location: path,
    put: async (...given) => (await open()).put(...given),
    get: async (...given) => (await opening)?.get(...given),
    list: async () => (await opening)?.list() ?? [],
    recording: async (...given) => (await opening)?.recording(...given),
    addEncodings: async (...given) => (await open()).addEncodings(...given),
    remove: async (...given) => (await open()).remove(...given),
    close,
    [Symbol.asyncDispose]: close,
  };
}

let empty: Promise<Buffer> | undefined;
/** The file of a store without voices, made once. */
function emptyStore(): Promise<Buffer> {
  empty ??= (async () => {
    await using folder = await temporaryFolder();
    const path = folder.join('voices.sqlite');
    await (await openSqliteVoiceStore(path)).close();
    return await readFile(path);
  })();
  return empty;
}

export const post = (url: string, body: object, init: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    ...init,
    headers: { 'Content-Type': 'application/json', ...(init.headers as Record<string, string> | undefined) },
    body: JSON.stringify(body),
  });

export type FormFields = Readonly<Record<string, string | Uint8Array | readonly Uint8Array[]>>;

/** A form with texts and files. */
export function formOf(fields: FormFields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value);
    else
      for (const file of value instanceof Uint8Array ? [value] : value) {
        form.append(name, new Blob([new Uint8Array(file)], { type: 'audio/wav' }), 'recording.wav');
      }
  }
  return form;
}

/** A recording of a constant level. */
export const wavOf = (seconds = 0.01, level = 0.1): Buffer =>
  Buffer.from(encodeWav(new Float32Array(16_000 * seconds).fill(level), 16_000));

/** The bytes of an answer that must be a success. */
export async function bytesOf(answer: Response | Promise<Response>): Promise<Buffer> {
  const response = await answer;
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${response.status} ${bytes}`);
  return bytes;
}

/** An answer whose body was read to its end. */
export async function read(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  await response.arrayBuffer();
  return response;
}

export const warningOf = async (answer: Promise<Response>): Promise<string | null> =>
  (await read(answer)).headers.get('Warning');

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
  readonly detail: unknown;
}

export const errorOf = async (answer: Response | Promise<Response>): Promise<ErrorBody['error']> =>
  ((await (await answer).json()) as ErrorBody).error;

export async function statusAndJson<Body = unknown>(
  answer: Response | Promise<Response>,
): Promise<readonly [status: number, body: Body]> {
  const response = await answer;
  return [response.status, (await response.json()) as Body];
}

export const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

const nothing = async (): Promise<void> => undefined;
export const silentPlayer: AudioSink = { write: nothing, finish: nothing, abort: nothing };

function collectLog(): { readonly logger: Logger; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  return { logger: pino({ level: 'debug', base: null }, stream), lines };
}
