/** Prometheus metrics, one registry per server. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AdmissionQueue } from '../admission/queue.ts';
import type { AdapterInfo, Adapters } from '../engine/lora/adapter-catalog.ts';
import type { ModelStatus, ServedModels } from '../model-pool/served-models.ts';

export interface Metrics {
  readonly registry: Registry;
  /** Counts an answered request. `route` is a pattern, so that labels stay few. */
  request(labels: { readonly method: string; readonly route: string; readonly status: string }, seconds: number): void;
  refused(): void;
  /** Time from the arrival of a request to its first audio. */
  firstAudio(seconds: number): void;
  /** A finished utterance: seconds of audio and of computation. */
  spoken(model: string, audioSeconds: number, seconds: number): void;
  loaded(model: string, seconds: number, result: 'loaded' | 'failed'): void;
  unloaded(model: string, reason: string): void;
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
    name: 'svc_http_request_duration_seconds',
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
    help: 'Compute seconds per second of audio, for finished utterances.',
    buckets: factorBuckets,
    registers,
  });
  const batches = new Histogram({
    name: 'svc_batch_size',
    help: 'Utterances that shared one pass over the weights.',
    buckets: batchBuckets,
    registers,
  });
  const labelNames = ['model'] as const;
  const audio = new Counter({
    name: 'svc_audio_seconds_total',
    help: 'Seconds of audio generated, by model.',
    labelNames,
    registers,
  });
  const loads = new Counter({
    name: 'svc_model_loads_total',
    help: 'Loads of models by result.',
    labelNames: ['model', 'result'],
    registers,
  });
  const unloads = new Counter({
    name: 'svc_model_unloads_total',
    help: 'Unloads of models by reason.',
    labelNames: ['model', 'reason'],
    registers,
  });
  const loadSeconds = new Histogram({
    name: 'svc_model_load_seconds',
    help: 'Time to load a model.',
    labelNames,
    buckets: firstAudioBuckets,
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
    spoken: (model, audioSeconds, seconds) => {
      audio.inc({ model }, audioSeconds);
      if (audioSeconds > 0) factor.observe(seconds / audioSeconds);
    },
    batch: (size) => batches.observe(size),
    loaded: (model, seconds, result) => {
      loads.inc({ model, result });
      if (result === 'loaded') loadSeconds.observe({ model }, seconds);
    },
    unloaded: (model, reason) => unloads.inc({ model, reason }),
  };
}

type Sample = readonly [labels: Partial<Record<string, string>>, value: number];

export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly read: () => Iterable<Sample>;
}

/** Registers a gauge that is read on each scrape. */
export function readGauge(registry: Registry, { labelNames = [], read, ...metric }: ReadMetric): void {
  new Gauge({
    ...metric,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });
}

/** Registers a counter that is read on each scrape. */
export function readCounter(registry: Registry, { labelNames = [], read, ...metric }: ReadMetric): void {
  new Counter({
    ...metric,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

/** Queue depth, read on each scrape. */
export function watchQueue({ registry }: Metrics, queue: AdmissionQueue): void {
  readGauge(registry, { name: 'svc_queue_active', help: 'Running requests.', read: () => [[{}, queue.active]] });
  readGauge(registry, { name: 'svc_queue_waiting', help: 'Waiting requests.', read: () => [[{}, queue.waiting]] });
}

/** State of the models, read on each scrape. */
export function watchModels({ registry }: Metrics, models: ServedModels): void {
  const gauge = (name: string, help: string, measure: (status: ModelStatus) => number): void =>
    readGauge(registry, {
      name,
      help,
      labelNames: ['model'],
      read: () => models.list().map((status) => [{ model: status.name }, measure(status)]),
    });
  gauge('svc_model_loaded', 'Whether the model is loaded.', ({ state }) => (state === 'loaded' ? 1 : 0));
  gauge('svc_model_requests', 'Requests that use the model or wait for it.', ({ requests }) => requests);
  watchVoiceMemory(registry, models);
  watchDevices(registry, models);
}

/** Memory of GPUs, and the time in which they compute steps: its rate is the share of a GPU that is in use. */
function watchDevices(registry: Registry, models: ServedModels): void {
  const known = () =>
    models.list().flatMap(({ name: model, devices = [] }) => devices.map((use) => ({ model, ...use })));
  readGauge(registry, {
    name: 'svc_device_memory_bytes',
    help: 'Memory of the GPU, of all its processes, when the model last used it.',
    labelNames: ['model', 'device', 'state'],
    read: () =>
      known().flatMap(({ model, device, freeBytes, totalBytes }): Sample[] =>
        freeBytes === undefined || totalBytes === undefined
          ? []
          : [
              [{ model, device, state: 'free' }, freeBytes],
              [{ model, device, state: 'used' }, totalBytes - freeBytes],
            ],
      ),
  });
  readCounter(registry, {
    name: 'svc_device_step_seconds_total',
    help: 'Seconds in which the GPU computed steps of the model.',
    labelNames: ['model', 'device'],
    read: () =>
      known().flatMap(({ model, device, stepSeconds }): Sample[] =>
        stepSeconds === undefined ? [] : [[{ model, device }, stepSeconds]],
      ),
  });
}

/** Memory of voices, and positions of prefixes whose computation it spared. */
function watchVoiceMemory(registry: Registry, models: ServedModels): void {
  const known = () =>
    models.list().flatMap(({ name: model, voiceMemory }) => (voiceMemory ? [{ model, ...voiceMemory }] : []));
  readGauge(registry, {
    name: 'svc_voice_memory_bytes',
    help: 'Memory of what the model keeps of voices.',
    labelNames: ['model'],
    read: () => known().map(({ model, bytes }) => [{ model }, bytes]),
  });
  readCounter(registry, {
    name: 'svc_prefix_positions_total',
    help: 'Positions of text and recordings before the speech: computed, or remembered from earlier requests.',
    labelNames: ['model', 'source'],
    read: () =>
      known().flatMap(({ model, computed, remembered }) => [
        [{ model, source: 'computed' }, computed],
        [{ model, source: 'remembered' }, remembered],
      ]),
  });
}

/** State of the LoRA adapters, read on each scrape. */
export function watchLoras({ registry }: Metrics, loras: Adapters): void {
  const gauge = (name: string, help: string, measure: (adapter: AdapterInfo) => number): void =>
    readGauge(registry, {
      name,
      help,
      labelNames: ['lora'],
      read: () => loras.list().map((adapter) => [{ lora: adapter.name }, measure(adapter)]),
    });
  gauge('svc_lora_memory_bytes', 'Memory that the LoRA adapter takes.', ({ memoryBytes }) => memoryBytes);
  gauge('svc_lora_requests', 'Running requests that use the LoRA adapter.', ({ requests }) => requests);
}

/** Memory, CPU time and event loop of the process. Call once per process. */
export function watchProcess({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry });
  // These gauges are named like counters, and each is only the sum of another gauge with labels.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`);
}
