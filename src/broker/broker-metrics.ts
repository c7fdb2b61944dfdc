/** What the front end tells Prometheus of the queue and of each worker, as it was last seen. */
import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '../server/metrics.ts';
import type { WorkerReport } from './registry.ts';
import type { RegistryWatch } from './watch-registry.ts';

interface WorkerMetric {
  readonly name: string;
  readonly help: string;
  readonly read: (report: WorkerReport) => number;
}

const workerGauges: readonly WorkerMetric[] = [
  { name: 'svc_worker_slots', help: 'Tasks that a worker does at once.', read: ({ slots }) => slots },
  { name: 'svc_worker_active', help: 'Tasks that a worker is at.', read: ({ active }) => active },
];

/** Counted by the workers themselves since their start. */
const workerCounters: readonly WorkerMetric[] = [
  { name: 'svc_worker_tasks_total', help: 'Tasks that a worker has ended.', read: ({ done }) => done },
  { name: 'svc_worker_failed_total', help: 'Tasks that failed at a worker.', read: ({ failed }) => failed },
  {
    name: 'svc_worker_audio_seconds_total',
    help: 'Seconds of audio that a worker has made.',
    read: ({ audioSeconds }) => audioSeconds,
  },
  { name: 'svc_worker_passes_total', help: 'Passes over the weights of a worker.', read: ({ passes }) => passes },
  {
    name: 'svc_worker_pass_members_total',
    help: 'Utterances in those passes; divided by them, the average batch.',
    read: ({ passMembers }) => passMembers,
  },
];

export function watchBroker({ registry: prometheus }: Metrics, registry: RegistryWatch): void {
  const registers = [prometheus];
  const queueGauges = {
    svc_broker_up: ['Whether the broker answers.', () => (registry.overview === undefined ? 0 : 1)],
    svc_broker_workers: ['Workers that are alive.', () => registry.workers.length],
    svc_broker_capacity: ['Tasks that they do at once.', () => registry.capacity],
    svc_broker_waiting: ['Tasks that no worker has taken.', () => registry.overview?.waiting ?? 0],
  } as const;
  for (const [name, [help, read]] of Object.entries(queueGauges)) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
  new Counter({
    name: 'svc_broker_retried_total',
    help: 'Times that a task was taken up again after its worker had died.',
    registers,
    collect() {
      this.reset();
      this.inc(registry.overview?.retried ?? 0);
    },
  });
  const labelNames = ['worker'] as const;
  for (const { name, help, read } of workerGauges) {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const report of registry.workers) this.set({ worker: report.name }, read(report));
      },
    });
  }
  for (const { name, help, read } of workerCounters) {
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const report of registry.workers) this.inc({ worker: report.name }, read(report));
      },
    });
  }
}
