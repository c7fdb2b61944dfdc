/** What is counted and measured, for Prometheus. One registry a server. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AdmissionQueue } from '../admission/queue.ts';

export interface Metrics {
  readonly registry: Registry;
  /** One answered request. `route` is a pattern, so that labels stay few. */
  request(labels: { readonly method: string; readonly route: string; readonly status: string }, seconds: number): void;
  refused(): void;
  /** Time from the arrival of a request to its first audio. */
  firstAudio(seconds: number): void;
  /** A finished utterance: seconds of audio, and how long it took. */
  spoken(audioSeconds: number, seconds: number): void;
  /** Utterances that shared one pass over the weights. */
  batch(size: number): void;
}

const requestBuckets = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300];
const firstAudioBuckets = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
const factorBuckets = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const batchBuckets = [1, 2, 3, 4, 6, 8, 12, 16, 32, 64];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'svc_http_request_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: requestBuckets,
    registers,
  });
  const refusals = new Counter({
    name: 'svc_queue_refused_total',
    help: 'Requests refused because the queue was full.',
    registers,
  });
  const firstAudioSeconds = new Histogram({
    name: 'svc_first_audio_seconds',
    help: 'Time from the arrival of a request to its first audio.',
    buckets: firstAudioBuckets,
    registers,
  });
  const factor = new Histogram({
    name: 'svc_real_time_factor',
    help: 'Seconds of computing for a second of audio, of finished utterances.',
    buckets: factorBuckets,
    registers,
  });
  const audio = new Counter({ name: 'svc_audio_seconds_total', help: 'Seconds of audio made.', registers });
  const batches = new Histogram({
    name: 'svc_batch_size',
    help: 'Utterances that shared one pass over the weights.',
    buckets: batchBuckets,
    registers,
  });
  return {
    registry,
    request: (labels, seconds) => {
      requests.inc(labels);
      requestSeconds.observe({ method: labels.method, route: labels.route }, seconds);
    },
    refused: () => refusals.inc(),
    firstAudio: (seconds) => firstAudioSeconds.observe(seconds),
    spoken: (audioSeconds, seconds) => {
      audio.inc(audioSeconds);
      if (audioSeconds > 0) factor.observe(seconds / audioSeconds);
    },
    batch: (size) => batches.observe(size),
  };
}

/** Depth of the queue, read when somebody asks. */
export function watchQueue({ registry }: Metrics, queue: AdmissionQueue): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('svc_queue_active', 'Requests that are served now.', () => queue.active);
  gauge('svc_queue_waiting', 'Requests that wait.', () => queue.waiting);
}

/** Memory, processor time and event loop of the process. Once a process. */
export function watchProcess({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry });
  // Gauges that are named like counters; each is the sum of one that has the types of what it counts as a label.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`);
}
