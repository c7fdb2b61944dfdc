/** The OpenAPI document and its page, from the operations that are mounted. */
import { z } from 'zod';
import type { Contents, Operation } from './operation.ts';

type Json = Readonly<Record<string, unknown>>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const contentOf = (contents: Contents, io: 'input' | 'output'): Json =>
  Object.fromEntries(Object.entries(contents).map(([type, schema]) => [type, { schema: schemaOf(schema, io) }]));

const validationDetail = z.object({
  type: z.enum(['missing', 'value_error']),
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
});

const failure = {
  description: 'What went wrong.',
  content: {
    'application/json': {
      schema: schemaOf(
        z.object({
          error: z.object({
            message: z.string(),
            type: z.string(),
            param: z.string().nullable().describe('The field that is at fault.'),
            code: z.string(),
          }),
          detail: z
            .union([z.string(), z.array(validationDetail)])
            .describe('The message once more; a list of the faults with status 422.'),
        }),
        'output',
      ),
    },
  },
};

export interface ApiDescription {
  readonly version: string;
  readonly access: 'token' | 'open';
}

export function createOpenApi(operations: readonly Operation[], { version, access }: ApiDescription): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version, description: 'VoxCPM speech.', license: { name: 'Apache-2.0' } },
    ...(access === 'token' ? { security: [{ bearer: [] }] } : {}),
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function describe({ method, path, tag, summary, access, query, body, answers }: Operation): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = query === undefined ? [] : queryParameters(query);
  const responses = Object.entries(answers).map(([status, { description, contents }]) => [
    status,
    { description, ...(contents === undefined ? {} : { content: contentOf(contents, 'output') }) },
  ]);
  return {
    operationId: `${method}${path.replace(/[^a-z0-9]+(\w?)/gi, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    ...(access === 'open' ? { security: [] } : {}),
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(body === undefined ? {} : { requestBody: { content: contentOf(body, 'input') } }),
    responses: { ...Object.fromEntries(responses), default: failure },
  };
}

function queryParameters(query: z.ZodObject): readonly Json[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}
