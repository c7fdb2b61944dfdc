import { expect, it } from '@jest/globals';
import express from 'express';
import { pino } from 'pino';
import type { AdmissionQueue } from '../../../src/admission/queue.ts';
import { createMetrics } from '../../../src/metrics/metrics.ts';
import { elevenlabs } from '../../../src/server/dialects/elevenlabs/elevenlabs.ts';
import { refuseExcess } from '../../../src/server/middleware/refuse.ts';
import { eventually } from '../../support/eventually.ts';
import { shareApp } from '../pages/serve-app.ts';

const lines: string[] = [];
const metrics = createMetrics();
const queue = { turnAway: (): number | undefined => 7 };
let reached = 0;
const app = express();
const work = [
  { method: 'post', path: '/v1/audio/speech' },
  { method: 'post', path: '/v1/text-to-speech/:voice_id/stream', errors: elevenlabs.errors },
] as const;
const logger = pino({}, { write: (line: string) => void lines.push(line) });
app.use(refuseExcess({ queue: queue as AdmissionQueue, metrics, logger }, work));
app.use((_request, response) => {
  reached += 1;
  response.end('reached');
});
const url = await shareApp(app);
const post = (path: string): Promise<Response> => fetch(url + path, { method: 'POST', body: 'not even JSON' });

it('refuses work with the time to come back, in the dialect of its endpoint', async () => {
  const [response, other] = await Promise.all([post('/v1/audio/speech'), post('/v1/text-to-speech/anna/stream')]);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
  expect(await response.json()).toMatchObject({ error: { code: 'queue_full' } });
  expect(other.status).toBe(429);
  expect(reached).toBe(0);
});

it('counts refused requests, and logs those of a second together', async () => {
  await eventually(() => lines.length > 0, 'a line in the log');
  expect(JSON.parse(lines[0] as string)).toMatchObject({ requests: 2 });
  const text = await metrics.registry.metrics();
  expect(text).toContain('svc_queue_refused_total 2');
  expect(text).toMatch(/svc_http_requests_total\{[^}]*route="\/v1\/audio\/speech"[^}]*status="503"[^}]*\} 1/);
});

it('lets everything else pass, and work once there is room', async () => {
  expect(await (await fetch(`${url}/healthz`)).text()).toBe('reached');
  expect(await (await post('/v1/audio/speech/cancel')).text()).toBe('reached');
  queue.turnAway = () => undefined;
  expect(await (await post('/v1/audio/speech')).text()).toBe('reached');
});
