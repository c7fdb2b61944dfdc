/** Loads a server of the public speech API with simulated listeners, each of whom plays what arrives in real time. */
import { messageOf } from '../errors.ts';
import { quantile, sum } from './statistics.ts';

export interface LoadOptions {
  /** Base of the API, such as `http://127.0.0.1:8000`. */
  readonly server: string;
  /** Requests at once. */
  readonly streams: number;
  /** Requests in all; with `seconds`, whichever is reached first. */
  readonly requests: number;
  /** No request starts later. */
  readonly seconds: number;
  readonly apiKey?: string | undefined;
  /** Fields of a request, counted from 0. */
  readonly body: (index: number) => object;
  readonly signal?: AbortSignal;
}

interface Quantiles {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly most: number | null;
}

export interface LoadReport {
  readonly server: string;
  readonly streams: number;
  readonly seconds: number;
  readonly requests: number;
  readonly completed: number;
  /** Failed requests by reason. */
  readonly failures: Readonly<Record<string, number>>;
  readonly audioSeconds: number;
  readonly audioSecondsPerSecond: number;
  readonly firstAudioMs: Quantiles;
  /** Longest time without new audio in each request, after its first. */
  readonly longestGapMs: Quantiles;
  /** Requests with at least one underrun. */
  readonly withUnderruns: number;
  readonly underruns: number;
  /** Total length of the underruns. */
  readonly underrunSeconds: number;
}

/** Playback of one request. */
export interface Playback {
  readonly firstAudioMs: number;
  readonly longestGapMs: number;
  readonly audioSeconds: number;
  readonly underruns: number;
  readonly underrunSeconds: number;
}

/** Rate of `pcm` in the public API, in Hz, for servers that don't say. */
const publicRate = 24_000;
const bytesPerSample = 2;

export function createListener(began: number) {
  let first: number | undefined;
  let last = began;
  let audioSeconds = 0;
  let [longestGapMs, underruns, stalledMs] = [0, 0, 0];
  return {
    /** `seconds` of audio arrived, `now` in milliseconds. */
    receive(seconds: number, now: number): void {
      if (first === undefined) {
        first = now;
      } else {
        longestGapMs = Math.max(longestGapMs, now - last);
        const late = now - (first + stalledMs + audioSeconds * 1000);
        if (late > 0) {
          underruns += 1;
          stalledMs += late;
        }
      }
      last = now;
      audioSeconds += seconds;
    },
    /** Undefined without any audio. */
    result: (): Playback | undefined =>
      first === undefined
        ? undefined
        : { firstAudioMs: first - began, longestGapMs, audioSeconds, underruns, underrunSeconds: stalledMs / 1000 },
  };
}

/** @throws the signal's reason */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { server, streams, requests, seconds, signal } = options;
  const began = performance.now();
  const playbacks: Playback[] = [];
  const failures = new Map<string, number>();
  let started = 0;
  const work = async (): Promise<void> => {
    while (started < requests && performance.now() - began < seconds * 1000) {
      started += 1;
      const outcome = await listen(options, started - 1);
      signal?.throwIfAborted();
      if (typeof outcome === 'string') failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
      else playbacks.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(streams, requests) }, work));
  const elapsed = (performance.now() - began) / 1000;
  const audioSeconds = sum(playbacks.map((playback) => playback.audioSeconds));
  return {
    server,
    streams,
    seconds: elapsed,
    requests: started,
    completed: playbacks.length,
    failures: Object.fromEntries(failures),
    audioSeconds,
    audioSecondsPerSecond: audioSeconds / elapsed,
    firstAudioMs: quantilesOf(playbacks.map(({ firstAudioMs }) => firstAudioMs)),
    longestGapMs: quantilesOf(playbacks.map(({ longestGapMs }) => longestGapMs)),
    withUnderruns: playbacks.filter(({ underruns }) => underruns > 0).length,
    underruns: sum(playbacks.map(({ underruns }) => underruns)),
    underrunSeconds: sum(playbacks.map(({ underrunSeconds }) => underrunSeconds)),
  };
}

/** Sends one request; returns why it failed. */
async function listen({ server, apiKey, body, signal }: LoadOptions, index: number): Promise<Playback | string> {
  const listener = createListener(performance.now());
  try {
    const response = await fetch(`${server.replace(/\/+$/, '')}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(apiKey && { Authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ ...body(index), response_format: 'pcm' }),
      ...(signal && { signal }),
    });
    if (!response.ok) {
      const { error } = Object(await response.json().catch(() => undefined)) as { readonly error?: unknown };
      const { message } = Object(error) as { readonly message?: unknown };
      return typeof message === 'string' ? `${response.status} ${message}` : `status ${response.status}`;
    }
    const rate = Number(response.headers.get('x-sample-rate')) || publicRate;
    for await (const bytes of response.body ?? []) {
      listener.receive(bytes.length / bytesPerSample / rate, performance.now());
    }
    return listener.result() ?? 'no audio';
  } catch (error) {
    const { cause } = Object(error) as { readonly cause?: unknown };
    return messageOf(cause ?? error);
  }
}

function quantilesOf(values: readonly number[]): Quantiles {
  const at = (part: number): number | null => (values.length === 0 ? null : quantile(values, part));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) };
}
