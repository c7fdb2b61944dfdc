/** Generates the OpenAPI document from the mounted operations. */
import { z } from 'zod';
import { apiIntroduction } from './api-introduction.ts';
import type { Contents, Operation } from './operation.ts';

type Json = Readonly<Record<string, unknown>>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const contentOf = (contents: Contents, io: 'input' | 'output', example?: Json): Json =>
  Object.fromEntries(
    Object.entries(contents).map(([type, schema]) => [type, { schema: schemaOf(schema, io), example }]),
  );

const validationDetail = z.object({
  type: z.enum(['missing', 'value_error']),
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
});

const failure = {
  description: 'The request was refused or failed; `message` says why.',
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

const tags: readonly { readonly name: Operation['tag']; readonly description: string }[] = [
  { name: 'speech', description: 'Turn text into speech.' },
  { name: 'voices', description: 'List, add and delete voices.' },
  { name: 'service', description: 'Health, models, metrics, and this description.' },
];

const bearer = { type: 'http', scheme: 'bearer', description: 'The key that the server was started with.' };
const security = { security: [{ bearer: [] }], components: { securitySchemes: { bearer } } };

const pathParameters: Readonly<Record<string, string>> = {
  id: 'Name of the voice.',
  model: 'Name of the model.',
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
    info: { title: 'svc', version, description: apiIntroduction(access), license: { name: 'Apache-2.0' } },
    // Relative to the document, so that a proxy may add a prefix.
    servers: [{ url: './' }],
    tags,
    ...(access === 'token' ? security : {}),
    paths,
  };
}

function describe({ method, path, tag, summary, description, access, query, body, example, answers }: Operation): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name],
    schema: { type: 'string' },
  }));
  const inQuery = query === undefined ? [] : queryParameters(query, body === undefined ? example : undefined);
  const responses = Object.entries(answers).map(([status, { description, contents }]) => [
    status,
    { description, ...(contents === undefined ? {} : { content: contentOf(contents, 'output') }) },
  ]);
  return {
    operationId: `${method}${path.replace(/[^a-z0-9]+(\w?)/gi, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    description,
    ...(access === 'open' ? { security: [] } : {}),
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(body === undefined ? {} : { requestBody: { content: contentOf(body, 'input', example) } }),
    responses: { ...Object.fromEntries(responses), default: failure },
  };
}

function queryParameters(query: z.ZodObject, example: Json = {}): readonly Json[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    ...(name in example ? { example: example[name] } : {}),
    schema,
  }));
}
