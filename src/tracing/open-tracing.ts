/** Sends spans to an OpenTelemetry collector, as the standard variables of OpenTelemetry say. */
import type { Context, Tracer } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { ignore, messageOf, toSvcError } from '../errors.ts';
import { quote } from '../messages.ts';
import { loadOptional } from '../package/optional-package.ts';
import { findPackage } from '../package/package-root.ts';
import { type Environment, requestError, variableOf } from '../validation.ts';
import { runWithin, type Span, type SpanOptions, type StartSpan, useTracer } from './span.ts';

const protocols = ['http/protobuf', 'http/json'] as const;
const off = { close: async (): Promise<void> => undefined };

/** Whether and how spans are sent. @throws SvcError INVALID_REQUEST */
export function tracingProtocol(environment: Environment): (typeof protocols)[number] | 'off' {
  const value = (name: string): string | undefined => variableOf(environment, name);
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return 'off';
  const exporter = value('OTEL_TRACES_EXPORTER');
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? value('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (exporter === 'none' || (exporter === undefined && endpoint === undefined)) return 'off';
  if (exporter !== undefined && exporter !== 'otlp') {
    throw requestError(`OTEL_TRACES_EXPORTER must be otlp or none, got ${quote(exporter)}`);
  }
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
  const name = names.find((one) => value(one) !== undefined) ?? names[1];
  const given = value(name) ?? 'http/protobuf';
  const protocol = protocols.find((known) => known === given);
  if (protocol === undefined) throw requestError(`${name} must be ${protocols.join(' or ')}, got ${quote(given)}`);
  if (endpoint !== undefined && !URL.canParse(endpoint)) {
    throw requestError(`the endpoint for traces must be a URL, as in http://127.0.0.1:4318, got ${quote(endpoint)}`);
  }
  return protocol;
}

/**
 * Turns tracing on if the environment requests it.
 *
 * @param environment the process's own: the exporter reads the rest of its variables there itself
 * @param serviceName unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES has one
 * @throws SvcError INVALID_REQUEST; BACKEND_UNAVAILABLE without the packages
 */
export async function openTracing(environment: Environment, serviceName: string, logger: Logger): Promise<typeof off> {
  const protocol = tracingProtocol(environment);
  if (protocol === 'off') return off;
  const [api, sdk, resources, { OTLPTraceExporter }] = await loadOptional('sending traces', () =>
    Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/resources'),
      protocol === 'http/json'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto'),
    ]),
  );
  const warn = (message: string): void => logger.warn({ reason: reasonIn(message) }, 'cannot send traces');
  api.diag.setLogger(
    { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const { version } = findPackage();
  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  // Sets the propagators that OTEL_PROPAGATORS names; spans carry their own context.
  provider.register({ contextManager: null });
  useTracer(spansOf(api, provider.getTracer('svc', version)));
  return {
    /** Sends the last spans. Never rejects. */
    async close() {
      useTracer();
      await provider.shutdown().catch((error: unknown) => warn(messageOf(error)));
      api.trace.disable();
      api.propagation.disable();
      api.diag.disable();
    },
  };
}

/** The SDK reports an error as JSON with its stack. */
function reasonIn(report: string): string {
  try {
    const { message } = JSON.parse(report) as { readonly message?: unknown };
    return typeof message === 'string' ? message : report;
  } catch {
    return report;
  }
}

type Api = typeof import('@opentelemetry/api');

function spansOf(api: Api, tracer: Tracer): StartSpan {
  const kinds = { server: api.SpanKind.SERVER, producer: api.SpanKind.PRODUCER, consumer: api.SpanKind.CONSUMER };

  function open(parent: Context, name: string, { kind, attributes = {} }: SpanOptions): Span {
    const settings = { kind: kind === undefined ? api.SpanKind.INTERNAL : kinds[kind], attributes };
    const span = tracer.startSpan(name, settings, parent);
    const context = api.trace.setSpan(parent, span);
    const wrapped: Span = {
      get traceparent() {
        const carrier: { traceparent?: string } = {};
        api.propagation.inject(context, carrier);
        return carrier.traceparent;
      },
      set: (more) => void span.setAttributes(more),
      rename: (other) => void span.updateName(other),
      child: (childName, options = {}) => open(context, childName, options),
      run: (work) => runWithin(wrapped, work),
      end(failure) {
        if (failure !== undefined) {
          span.setAttribute('error.type', toSvcError(failure).code);
          span.setStatus({ code: api.SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
    return wrapped;
  }

  return (name, { traceparent, ...options }) => {
    const carrier = traceparent === undefined ? {} : { traceparent };
    return open(api.propagation.extract(api.ROOT_CONTEXT, carrier), name, options);
  };
}
