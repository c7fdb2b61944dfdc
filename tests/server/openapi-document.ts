/** The OpenAPI document of a server, as far as tests read it. */
import type { TestServer } from './start-server.ts';

type Named<Value> = Readonly<Record<string, Value>>;

interface Media {
  readonly example?: unknown;
  readonly schema: { readonly properties?: Named<{ readonly description?: string; readonly default?: unknown }> };
}

export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly security?: unknown;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Named<Media> };
  readonly responses: Named<{ readonly description: string; readonly content?: Named<Media> }>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly paths: Named<Named<Operation>>;
  readonly components: { readonly securitySchemes: object };
}

export const documentOf = (server: Pick<TestServer, 'json'>, init?: RequestInit): Promise<OpenApiDocument> =>
  server.json<OpenApiDocument>('/openapi.json', init);

/** All operations, named by method and path, such as `get /v1/models`. */
export const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, method, path, operation })),
  );
