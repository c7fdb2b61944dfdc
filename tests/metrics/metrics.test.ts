/** Checks names and types of all metrics against https://prometheus.io/docs/practices/naming/ */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { Registry } from 'prom-client';
import { createQueue } from '../../src/admission/queue.ts';
import { watchBroker } from '../../src/broker/front/broker-metrics.ts';
import type { WatchedModel } from '../../src/broker/front/watch-models.ts';
import type { WorkerReport } from '../../src/broker/shared/registry.ts';
import type { SpeechSource } from '../../src/engine/speech-source.ts';
import { createMetrics, watchModels, watchProcess, watchQueue } from '../../src/metrics/metrics.ts';
import { createModelNames } from '../../src/model-pool/model-names.ts';
import { createFixedModel } from '../../src/model-pool/served-models.ts';

const report = {
  name: 'host:1',
  slots: 2,
  active: 1,
  done: 5,
  failed: 1,
  audioSeconds: 1.5,
  passes: 4,
  passMembers: 7,
};
const workers = [report as unknown as WorkerReport];
const registry = { workers, capacity: 2, overview: { workers, requests: 1, waiting: 0, retried: 3 } };
const watched = [{ name: 'large', registry }] as unknown as readonly WatchedModel[];

const voiceMemory = { bytes: 1000, remembered: 20, computed: 30 };
const devices = [
  { device: 'CUDA0', description: 'a card', freeBytes: 300, totalBytes: 1000, stepSeconds: 2.5 },
  { device: 'Vulkan0', description: 'one that tells nothing' },
];
const source = {
  info: { name: 'large', limits: {} },
  voiceMemory: () => voiceMemory,
  deviceUse: () => devices,
} as unknown as SpeechSource;
const names = createModelNames({ names: ['large'], aliases: new Map(), match: 'any' });

function allMetrics(): Registry {
  const metrics = createMetrics();
  watchModels(metrics, createFixedModel(source, names));
  watchQueue(metrics, createQueue({ slots: 1, maxWaiting: 1 }));
  watchProcess(metrics);
  watchBroker(metrics, () => watched);
  return metrics.registry;
}

it('histograms have ascending bounds, close enough to estimate from', async () => {
  const metrics = createMetrics();
  metrics.request({ method: 'GET', route: '/', status: '200' }, 0);
  metrics.loaded('large', 0, 'loaded');
  const histograms = (await metrics.registry.getMetricsAsJSON()).filter(({ type }) => String(type) === 'histogram');
  expect(histograms.length).toBeGreaterThan(3);
  for (const { values } of histograms) {
    const bounds = values.flatMap(({ labels }) => (typeof labels.le === 'number' ? [labels.le] : []));
    expect(bounds.length).toBeGreaterThan(5);
    for (const [index, bound] of bounds.entries()) {
      const before = bounds[index - 1] ?? 0;
      expect(bound).toBeGreaterThan(before);
      if (index > 0) expect(bound / before).toBeLessThanOrEqual(5);
    }
  }
});

it('has the memory and the time of GPUs, as far as they are known', async () => {
  const text = await allMetrics().metrics();
  expect(text.match(/^svc_device_.*$/gm)).toEqual([
    'svc_device_memory_bytes{model="large",device="CUDA0",state="free"} 300',
    'svc_device_memory_bytes{model="large",device="CUDA0",state="used"} 700',
    'svc_device_step_seconds_total{model="large",device="CUDA0"} 2.5',
  ]);
});

it('all metrics follow the naming conventions of Prometheus', async () => {
  const metrics = await allMetrics().getMetricsAsJSON();
  expect(metrics.length).toBeGreaterThan(30);
  const problems = metrics.flatMap(({ name, help, type: kind }) => {
    const type = String(kind);
    const checks: Readonly<Record<string, boolean>> = {
      'is lowercase': /^[a-z][a-z0-9_]*[a-z0-9]$/.test(name),
      'has an application prefix': /^(svc|process|nodejs)_/.test(name),
      'has a help text': help !== '',
      'ends in _total as a counter, and only then': name.endsWith('_total') === (type === 'counter'),
      'has no suffix of histograms': !/_(count|sum|bucket|info)$/.test(name) || name === 'nodejs_version_info',
      'uses base units': !/(milliseconds|minutes|hours|kilobytes|megabytes|percent|_ms)(_|$)/.test(name),
      'does not name its type': !/_(gauge|counter|histogram|summary)(_|$)/.test(name),
    };
    return Object.entries(checks).flatMap(([check, holds]) => (holds ? [] : [`${name} (${type}): ${check}`]));
  });
  expect(problems).toEqual([]);
});

it('counters of the broker show the last report on every scrape', async () => {
  const registry = allMetrics();
  await registry.metrics();
  const text = await registry.metrics();
  expect(text).toContain('# TYPE svc_worker_tasks_done_total counter');
  expect(text).toContain('svc_worker_tasks_done_total{worker="host:1"} 5');
  expect(text).toContain('svc_worker_slots{worker="host:1"} 2');
  expect(text).toContain('# TYPE svc_broker_task_retries_total counter');
  expect(text).toMatch(/^svc_broker_task_retries_total 3$/m);
});

it('shows what a model keeps of voices, as it is at each scrape', async () => {
  const registry = allMetrics();
  await registry.metrics();
  const text = await registry.metrics();
  expect(text).toMatch(/^svc_voice_memory_bytes\{model="large"\} 1000$/m);
  expect(text).toMatch(/^svc_prefix_positions_total\{model="large",source="remembered"\} 20$/m);
  expect(text).toMatch(/^svc_prefix_positions_total\{model="large",source="computed"\} 30$/m);
});

const readText = (path: string): string => readFileSync(path, 'utf8');

/** Names as PromQL uses them; histograms appear with suffixes. */
const usedNames = (text: string): readonly string[] => [
  ...new Set(text.match(/\b(?:svc|process|nodejs)_[a-z0-9_]+\b/g) ?? []),
];

it.each([
  [
    'deploy/grafana/svc.json',
    () =>
      readText('deploy/grafana/svc.json')
        .match(/"expr": .+/g)
        ?.join('\n') ?? '',
  ],
  ['deploy/prometheus/alerts.yaml', () => readText('deploy/prometheus/alerts.yaml')],
  ['deploy/prometheus/alerts.test.yaml', () => readText('deploy/prometheus/alerts.test.yaml')],
])('%s uses existing metrics only', async (_path, read) => {
  const known = new Set(
    (await allMetrics().getMetricsAsJSON()).flatMap(({ name, type }) =>
      String(type) === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    ),
  );
  const used = usedNames(read());
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});
