/**
 * The part of the HTTP API that the playground uses, with speech at a configurable pace, to test what a real engine does
 * too fast, too slowly or never.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import express from 'express';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { createPlaygroundPage } from '../../src/server/pages/web-page.ts';
import { listen } from '../support/listen.ts';

export interface MockSettings {
  readonly apiKey?: string;
  readonly model?: string;
  /** As in `/health`, like `playback`; omitted if undefined. */
  readonly models?: readonly string[];
  readonly playback?: boolean | null;
  /** Whether a voice without a transcript is refused. */
  needsTranscript: boolean;
  /** Number of pieces of a tenth of a second. */
  pieces: number;
  /** Delay before each piece, in milliseconds. */
  pace: number;
  /** Pieces after which the connection breaks, once the promise is resolved; never by default. */
  breakAfter?: { readonly pieces: number; readonly when: () => Promise<void> };
  /** Answer to every speech request, instead of audio. */
  refusal?: {
    readonly status: number;
    readonly message: string;
    readonly retryAfter?: number;
    readonly param?: string;
  };
  /** Whether all samples are zero. */
  silent?: boolean;
  /** Warnings of the last event. */
  warnings?: readonly string[];
  /** Message of an error after the pieces, in place of the last event. */
  failure?: string;
}

export interface MockVoice {
  readonly id: string;
  readonly prompt_text: string | null;
  readonly bytes: Buffer;
  readonly preset: boolean;
  /** Field of the form. */
  readonly denoise?: string | undefined;
}

export interface Mock extends AsyncDisposable {
  readonly url: string;
  readonly settings: MockSettings;
  readonly voices: Map<string, MockVoice>;
  /** Speech requests. */
  readonly speeches: { readonly path: string; readonly id?: unknown; readonly body: Record<string, unknown> }[];
  readonly cancelled: unknown[];
  /** Numbers of running, finished and aborted streams. */
  readonly streams: { open: number; complete: number; abandoned: number };
}

/** Timestamps of any text. */
const words = [
  { text: 'Hello', start: 0.1, end: 0.4, sentence: 0 },
  { text: 'there.', start: 0.4, end: 0.9, sentence: 0 },
  { text: 'Bye.', start: 1.2, end: 1.5, sentence: 1 },
];

const sampleRate = 16_000;
const pieceLength = 1600;

/** A tone that swells and fades, so that the waveform has a shape. */
function piece(index: number): Buffer {
  const bytes = Buffer.alloc(pieceLength * 2);
  for (let at = 0; at < pieceLength; at++) {
    const time = (index * pieceLength + at) / sampleRate;
    const loudness = 0.1 + 0.5 * Math.abs(Math.sin(time * 5) * Math.sin(time * 1.3));
    bytes.writeInt16LE(Math.round(32_767 * loudness * Math.sin(2 * Math.PI * 220 * time)), at * 2);
  }
  return bytes;
}

const wavHeader = Buffer.from(encodeWav(new Float32Array(0), sampleRate));

/** In two pieces, as networks cut events anywhere. */
function sendEvent(response: ServerResponse, event: object): void {
  const text = `data: ${JSON.stringify(event)}\n\n`;
  response.write(text.slice(0, 9)) && response.write(text.slice(9));
}

/** The text in one passage. */
const previewOf = ({ input, language, normalize }: Record<string, unknown>) => ({
  model: 'mock-model',
  normalize: normalize !== false,
  passages: [
    {
      language: language ?? 'en',
      language_by: language === undefined ? 'detected' : 'stated',
      written: input,
      spoken: String(input)
        .replace('5', language === 'de' ? 'fünf' : 'five')
        .replace('😀', '')
        .trim(),
      style: null,
      voice: null,
      left_out: String(input).includes('😀') ? ['😀'] : [],
      unreadable: [],
    },
  ],
  warnings: [],
});

const record = ({ id, prompt_text, bytes, preset }: MockVoice) => ({
  id,
  object: 'voice',
  name: id,
  prompt_text,
  prompt_audio_length: 40,
  sample_rate: sampleRate,
  duration_seconds: Math.max(0, bytes.length - 44) / 96_000,
  created_at: '2026-11-20T12:00:00.000Z',
  preset,
  alias_of: null,
  has_recording: true,
});

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

const fail = (response: ServerResponse, status: number, message: string, param: string | null = null): void =>
  send(response, status, { error: { message, type: 'invalid_request_error', code: null, param } });

export async function startMock(settings: Partial<MockSettings> = {}): Promise<Mock> {
  const app = express();
  app.use(createPlaygroundPage());
  app.use((request, response) => void answer(request, response));
  const server = await listen(app);
  const mock: Mock = {
    ...server,
    url: `${server.url}/`,
    settings: { needsTranscript: true, pieces: 10, pace: 20, ...settings },
    voices: new Map(),
    speeches: [],
    cancelled: [],
    streams: { open: 0, complete: 0, abandoned: 0 },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', mock.url);
    const { apiKey } = mock.settings;
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      return fail(response, 401, 'invalid API key');
    }
    const heard = /^\/v1\/voices\/(.+)\/audio$/.exec(pathname)?.[1];
    if (heard !== undefined) return sendRecording(response, decodeURIComponent(heard));
    const id = /^\/v1\/voices\/(.+)$/.exec(pathname)?.[1];
    if (id !== undefined) return removeVoice(response, decodeURIComponent(id));
    if (pathname === '/health') {
      const { model = 'mock-model', models, playback } = mock.settings;
      const known = { device: 'CPU', sample_rate: sampleRate, local_page: true };
      return send(response, 200, { model, models, ...known, playback });
    }
    if (pathname === '/v1/voices' && request.method === 'POST') return addVoice(request, response);
    if (pathname === '/v1/voices') {
      const voices = [...mock.voices.values()].map(record);
      return send(response, 200, { object: 'list', data: voices, voices });
    }
    if (pathname === '/v1/audio/speech/cancel') {
      mock.cancelled.push(await json(request));
      return send(response, 200, { status: 'cancelled', message: 'Cancelled 1 job.' });
    }
    if (pathname.startsWith('/v1/audio/speech')) return speak(pathname, request, response);
    fail(response, 404, `no route ${pathname}`);
  }

  async function speak(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as Record<string, unknown>;
    mock.speeches.push({ path, id: request.headers['x-request-id'], body });
    const { refusal } = mock.settings;
    if (refusal) {
      if (refusal.retryAfter) response.setHeader('Retry-After', refusal.retryAfter);
      return fail(response, refusal.status, refusal.message, refusal.param);
    }
    if (path.endsWith('/playback')) {
      return send(response, 200, { status: 'success', message: 'Played.', duration_seconds: 1 });
    }
    if (path.endsWith('/text')) return send(response, 200, previewOf(body));
    if (body.stream_format === 'sse') return stream(response);
    if (body.stream_format === 'json') return send(response, 200, { timestamps: { items: words } });
    response.writeHead(200, { 'Content-Type': 'audio/mpeg' }).end(Buffer.from('encoded audio'));
  }

  async function stream(response: ServerResponse): Promise<void> {
    mock.streams.open++;
    const { pieces, pace, breakAfter } = mock.settings;
    for (let at = 0; at < pieces && !response.destroyed; at++) {
      await wait(pace, undefined, { ref: false });
      if (at === 0) {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Sample-Rate': sampleRate });
        // WAV of unknown length.
        sendEvent(response, { type: 'speech.audio.delta', audio: wavHeader.toString('base64') });
      }
      if (at === breakAfter?.pieces) {
        await breakAfter.when();
        response.destroy();
      }
      // Odd boundaries, like those of networks.
      else {
        const bytes = mock.settings.silent ? Buffer.alloc(pieceLength * 2) : piece(at);
        for (const part of [bytes.subarray(0, 1001), bytes.subarray(1001)])
          sendEvent(response, { type: 'speech.audio.delta', audio: part.toString('base64') });
      }
    }
    mock.streams.open--;
    if (response.destroyed) mock.streams.abandoned++;
    else mock.streams.complete++;
    const { warnings = [], failure } = mock.settings;
    if (failure === undefined) sendEvent(response, { type: 'speech.audio.done', usage: {}, warnings });
    else sendEvent(response, { type: 'error', error: { message: failure } });
    response.end();
  }

  async function addVoice(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
    const form = await new Response(await buffer(request), { headers }).formData();
    const [id, text, audio] = ['id', 'text', 'audio'].map((name) => form.get(name));
    if (mock.voices.has(String(id))) return fail(response, 409, `voice "${id}" already exists`);
    if (!(audio instanceof File)) return fail(response, 400, 'audio must be a file');
    if (text === null && mock.settings.needsTranscript) return fail(response, 400, 'text is required', 'text');
    const bytes = Buffer.from(await audio.arrayBuffer());
    const prompt_text = text === null ? null : String(text);
    const denoise = form.get('denoise')?.toString();
    const voice = { id: String(id), prompt_text, bytes, preset: false, denoise };
    mock.voices.set(voice.id, voice);
    send(response, 201, { ...record(voice), warnings: ['the prompt audio is quiet'] });
  }

  function sendRecording(response: ServerResponse, id: string): void {
    const voice = mock.voices.get(id);
    if (voice === undefined) fail(response, 404, `unknown voice "${id}"`);
    else response.writeHead(200, { 'Content-Type': 'audio/wav' }).end(voice.bytes);
  }

  function removeVoice(response: ServerResponse, id: string): void {
    if (mock.voices.delete(id)) send(response, 200, { id, deleted: true });
    else fail(response, 404, `unknown voice "${id}"`);
  }

  return mock;
}
