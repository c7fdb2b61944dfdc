/** Sends many short requests of every kind, also invalid and aborted ones; checks answers, memory and slots. */

import { type ServerProcess, startSvcServe } from '../svc-process.ts';
import { inFolder, memoryOf, speak } from './server-process.ts';

const atOnce = 12;
const sampleEvery = 100;
/** How long a refused client waits before the next request, in milliseconds. */
const politeMilliseconds = 150;

type Outcome = { readonly kind: string; readonly status: number | 'gone' | 'cut' };

/** Allowed outcomes by kind of request; 429 and 503 mean a full queue, which the soak provokes. */
const allowed: Readonly<Record<string, readonly (number | string)[]>> = {
  speech: [200, 429, 503, 'cut', 499],
  'hang up': ['gone', 200, 429, 503, 'cut', 499],
  'hang up early': ['gone', 200, 429, 503, 'cut', 499],
  'bad body': [400],
  'no JSON': [400],
  'unknown voice': [404],
  form: [200, 429, 503, 'cut', 499],
  cancel: [200],
  health: [200],
  voice: [201, 503, 499],
  'no audio': [415, 503],
};

export async function soak(requests: number, options: readonly string[]): Promise<void> {
  await inFolder(async (folder) => {
    const server = await startSvcServe([...options, '--voice-dir', folder, '--max-batch', '4', '--max-queue', '6']);
    const started = performance.now();
    const counts = new Map<string, number>();
    const wrong: string[] = [];
    const memory: { readonly request: number; readonly bytes: number }[] = [];
    const random = generator(1);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < requests) {
        const request = next;
        next += 1;
        if (request % sampleEvery === 0) memory.push({ request, bytes: await memoryOf(server.url) });
        const { kind, status } = await attempt(server, request, random);
        const key = `${kind}: ${status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (status === 429 || status === 503) await new Promise((resolve) => setTimeout(resolve, politeMilliseconds));
        if (!allowed[kind]?.includes(status)) wrong.push(`request ${request}, ${key}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const left = await untilIdle(server);
    memory.push({ request: requests, bytes: await memoryOf(server.url) });
    const last = await speak(server.url, { input: 'hi', response_format: 'pcm', max_length: 4 });
    await last.arrayBuffer();
    const end = await server.stop();
    for (const [key, count] of [...counts].sort()) console.log(`  ${key} × ${count}`);
    const later = memory.slice(Math.floor(memory.length / 2));
    console.log(`${requests} requests in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    console.log(`memory: ${memory.map(({ bytes }) => Math.round(bytes / 1e6)).join(' ')} MB`);
    console.log(`memory, second half: ${(slope(later) / 1024).toFixed(2)} KiB per request`);
    console.log(
      `busy slots afterwards: ${left}; a last request: ${last.status}; end: code ${end.code} in ${end.milliseconds.toFixed(0)} ms`,
    );
    console.log(wrong.length === 0 ? 'every request was answered correctly' : `wrong: ${wrong.join('; ')}`);
    if (wrong.length > 0 || left !== 0 || last.status !== 200 || end.code !== 0) process.exitCode = 1;
  });
}

async function attempt({ url }: ServerProcess, number: number, random: () => number): Promise<Outcome> {
  const body = { input: 'hello there', max_length: 4 + Math.floor(random() * 12), seed: number };
  const format = ['pcm', 'wav', 'mp3', 'flac', 'opus', 'aac'][Math.floor(random() * 6)];
  const choice = random();
  if (choice < 0.4)
    return { kind: 'speech', status: await read(() => speak(url, { ...body, response_format: format })) };
  if (choice < 0.55) {
    const gone = new AbortController();
    setTimeout(() => gone.abort(), random() * 60);
    return {
      kind: 'hang up',
      status: await read(() => speak(url, { ...body, max_length: 40, response_format: format }, gone.signal)),
    };
  }
  if (choice < 0.6) {
    const gone = new AbortController();
    setTimeout(() => gone.abort(), random() * 3);
    return { kind: 'hang up early', status: await read(() => speak(url, body, gone.signal)) };
  }
  if (choice < 0.68) return { kind: 'bad body', status: await read(() => speak(url, { input: 'a', speed: 99 })) };
  if (choice < 0.73)
    return {
      kind: 'no JSON',
      status: await read(() => fetch(`${url}/v1/audio/speech`, { method: 'POST', body: '{"in' })),
    };
  if (choice < 0.78)
    return { kind: 'unknown voice', status: await read(() => speak(url, { ...body, voice: 'nobody' })) };
  if (choice < 0.86) {
    const form = new URLSearchParams({ input: 'hello', max_len: '6', response_format: 'wav' });
    return { kind: 'form', status: await read(() => fetch(`${url}/tts`, { method: 'POST', body: form })) };
  }
  if (choice < 0.87)
    return { kind: 'cancel', status: await read(() => fetch(`${url}/v1/audio/speech/cancel`, { method: 'POST' })) };
  if (choice < 0.94) return { kind: 'health', status: await read(() => fetch(`${url}/health`)) };
  if (choice < 0.97) return { kind: 'voice', status: await register(url, `v${number}`, wave()) };
  return { kind: 'no audio', status: await register(url, `n${number}`, new Uint8Array(2_000)) };
}

async function read(send: () => Promise<Response>): Promise<Outcome['status']> {
  try {
    const response = await send();
    try {
      await response.arrayBuffer();
    } catch (error) {
      return (error as Error).name === 'AbortError' ? 'gone' : 'cut';
    }
    return response.status;
  } catch (error) {
    if ((error as Error).name === 'AbortError') return 'gone';
    throw error;
  }
}

function register(url: string, id: string, audio: Uint8Array<ArrayBuffer>): Promise<Outcome['status']> {
  const form = new FormData();
  form.set('id', id);
  form.set('text', 'hello there');
  form.set('audio', new Blob([audio]), 'a.wav');
  return read(() => fetch(`${url}/v1/voices`, { method: 'POST', body: form }));
}

/** Half a second of a sine wave, as a 16-bit WAV file. */
export function wave(): Uint8Array<ArrayBuffer> {
  const samples = Int16Array.from({ length: 8_000 }, (_, index) => 3_000 * Math.sin(index / 10));
  const header = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0',
    'latin1',
  );
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.writeUInt32LE(samples.byteLength, 40);
  return new Uint8Array(Buffer.concat([header, Buffer.from(samples.buffer)]));
}

async function untilIdle({ url }: ServerProcess): Promise<number> {
  for (let attempts = 0; ; attempts += 1) {
    const health = (await (await fetch(`${url}/health`)).json()) as { queue_active: number; queue_waiting: number };
    const busy = health.queue_active + health.queue_waiting;
    if (busy === 0 || attempts === 100) return busy;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Bytes per request, by least squares. */
function slope(points: readonly { readonly request: number; readonly bytes: number }[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(({ request }) => request)), mean(points.map(({ bytes }) => bytes))];
  const covariance = points.reduce((sum, { request, bytes }) => sum + (request - x) * (bytes - y), 0);
  return covariance / points.reduce((sum, { request }) => sum + (request - x) ** 2, 0);
}

/** Random numbers (mulberry32), the same in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
