import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { createMetrics, watchProcess } from '../../src/metrics/metrics.ts';

/** Needs promtool, of the Debian package prometheus. */
function promtool(settings: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', settings, { encoding: 'utf8', input });
  expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: expect.any(String) });
}

it('promtool accepts the metrics', async () => {
  const metrics = createMetrics();
  watchProcess(metrics);
  promtool(['check', 'metrics'], await metrics.registry.metrics());
});

it('promtool accepts the alert rules, which fire when they should', () => {
  promtool(['check', 'rules', 'deploy/prometheus/alerts.yaml']);
  promtool(['test', 'rules', 'deploy/prometheus/alerts.test.yaml']);
});
