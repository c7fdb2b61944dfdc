/** A collector of OpenTelemetry: an HTTP server that keeps the spans it receives as JSON. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly milliseconds: number;
  readonly failed: boolean;
  readonly service: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes'> & {
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly status: { readonly code: number };
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly requests: readonly { readonly path: string; readonly type: string; readonly body: Buffer }[];
}

const toRecord = (attributes: readonly Attribute[]): CollectedSpan['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const plain = Object.values(value)[0] ?? '';
      // Integers are strings in the JSON of protobuf.
      return [key, 'intValue' in value ? Number(plain) : plain];
    }),
  );

function spansOf({ resourceSpans }: Export): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, status, startTimeUnixNano, endTimeUnixNano, parentSpanId, ...span }) => ({
        ...span,
        parentSpanId: parentSpanId || undefined,
        milliseconds: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
        failed: status.code === 2,
        service: String(toRecord(resource.attributes)['service.name']),
        attributes: toRecord(attributes),
      })),
    ),
  );
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: { path: string; type: string; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const type = request.headers['content-type'] ?? '';
    requests.push({ path: request.url ?? '', type, body });
    if (type === 'application/json') spans.push(...spansOf(JSON.parse(body.toString()) as Export));
    response.setHeader('Content-Type', type);
    response.end(type === 'application/json' ? '{}' : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
