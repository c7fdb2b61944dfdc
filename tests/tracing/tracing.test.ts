import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type TaskContext, workTask } from '../../src/broker/worker/work-task.ts';
import { openTracing, tracingProtocol } from '../../src/tracing/open-tracing.ts';
import { currentSpan, noSpan, startSpan } from '../../src/tracing/span.ts';
import { createMemoryAnswers } from '../broker/memory-answers.ts';
import { prepareTask } from '../broker/prepare-task.ts';
import { startServer } from '../server/start-server.ts';
import { type CollectedSpan, startCollector } from './collector.ts';

const logger = pino({ level: 'silent' });
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const text = 'A secret sentence of a user. And another one.';

afterEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
});

/** Turns tracing on with a collector; returns the spans when the work is over. */
async function collect(protocol: 'http/json' | 'http/protobuf', work: () => Promise<void>) {
  await using collector = await startCollector();
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_SERVICE_NAME: 'speech',
  });
  const tracing = await openTracing(process.env, 'svc-serve', logger);
  try {
    await work();
  } finally {
    await tracing.close();
  }
  return { spans: collector.spans, requests: collector.requests };
}

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  expect(spans.map((span) => span.name)).toContain(name);
  return spans.find((span) => span.name === name) as CollectedSpan;
}

describe('traces', () => {
  it('continue the trace of the client, down to the parts of the text, without the text', async () => {
    const { spans, requests } = await collect('http/json', async () => {
      await using server = await startServer();
      const response = await server.speak({ input: text, response_format: 'pcm' }, { headers: { traceparent } });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    });
    const request = named(spans, 'POST /v1/audio/speech');
    const speech = named(spans, 'speech');
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: 2, service: 'speech' });
    expect(request.attributes).toMatchObject({ 'http.route': '/v1/audio/speech', 'http.response.status_code': 200 });
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    for (const name of ['queue', 'speech']) expect(named(spans, name).parentSpanId).toBe(request.spanId);
    for (const name of ['speech.first_audio', 'speech.part']) {
      expect(named(spans, name).parentSpanId).toBe(speech.spanId);
      expect(named(spans, name).milliseconds).toBeLessThanOrEqual(speech.milliseconds + 1);
    }
    expect(speech.attributes).toMatchObject({
      'svc.model': 'fake',
      'svc.voice': 'own',
      'svc.text.characters': text.length,
    });
    expect(speech.attributes['svc.patches']).toBeGreaterThan(0);
    expect(speech.attributes['svc.real_time_factor']).toBeGreaterThan(0);
    expect(requests.map(({ path }) => path)).toContain('/v1/traces');
    expect(Buffer.concat(requests.map(({ body }) => body)).toString()).not.toMatch(/secret|another/);
  });

  it('show the status of a refused request', async () => {
    const { spans } = await collect('http/json', async () => {
      await using server = await startServer();
      await (await server.speak({ input: '' })).arrayBuffer();
    });
    expect(named(spans, 'POST /v1/audio/speech').attributes['http.response.status_code']).toBe(400);
    expect(spans).toHaveLength(1);
  });

  it('go on in the worker of a broker', async () => {
    const { spans } = await collect('http/json', async () => {
      const answers = createMemoryAnswers();
      const { task, context } = prepareTask('speech', { text, seed: 7 }, answers);
      await workTask(context as TaskContext, { ...task, traceparent }, new AbortController().signal);
      expect(answers.outcome).toMatchObject({ kind: 'done' });
    });
    const task = named(spans, 'worker.task');
    expect(task).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: 5 });
    expect(named(spans, 'speech').parentSpanId).toBe(task.spanId);
    expect(named(spans, 'speech').attributes['svc.audio.seconds']).toBeGreaterThan(0);
  });

  it('are sent as protobuf by default', async () => {
    const { requests } = await collect('http/protobuf', async () => startSpan('work', {}).end());
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ path: '/v1/traces', type: 'application/x-protobuf' });
    expect(requests[0]?.body.includes('work')).toBe(true);
  });

  it('do not hold up a server whose collector is gone', async () => {
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    const tracing = await openTracing(process.env, 'svc-serve', logger);
    startSpan('work', {}).end();
    await tracing.close();
    expect(startSpan('work', {})).toBe(noSpan);
  });
});

describe('without tracing', () => {
  it('every span is the same empty one', async () => {
    const tracing = await openTracing({}, 'svc-serve', logger);
    expect(startSpan('work', {})).toBe(noSpan);
    expect(currentSpan().child('part')).toBe(noSpan);
    await tracing.close();
  });

  it.each([
    [{}, 'off'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318' }, 'http/protobuf'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a:4318/v1/traces' }, 'http/protobuf'],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318' }, 'off'],
    [{ OTEL_SDK_DISABLED: 'true', OTEL_TRACES_EXPORTER: 'otlp' }, 'off'],
  ])('%j means %s', (environment, expected) => {
    expect(tracingProtocol(environment)).toBe(expected);
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER must be otlp or none, got "zipkin"'],
    [
      { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, got "grpc"',
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, 'must be a URL, as in http://127.0.0.1:4318, got "collector"'],
  ])('%j is refused', (environment, message) => {
    expect(() => tracingProtocol(environment)).toThrow(message);
  });
});
