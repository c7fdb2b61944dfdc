/** The OpenAPI document, made from the operations that the server has. */
import { z } from 'zod';
import { failureBody, failures } from './failures.ts';
import type { Answer, Contents, Operation } from './operation.ts';
import { codeSamples } from './samples.ts';

type Json = Readonly<Record<string, unknown>>;
type Direction = 'input' | 'output';
type Access = 'token' | 'open';

const schemaOf = (schema: z.ZodType, io: Direction): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const contentOf = (contents: Contents, io: Direction, examples: Json = {}): Json =>
  Object.fromEntries(
    Object.entries(contents).map(([type, schema]) => {
      const example = examples[type];
      const described = schemaOf(schema, io);
      return [type, { schema: type.includes('form') ? withFieldExamples(described, example) : described, example }];
    }),
  );

/** The fields of a form, which have no null, each with an example, as viewers would make up a value. */
const withFieldExamples = ({ properties = {}, ...schema }: Json, example: unknown = {}): Json => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(properties as Readonly<Record<string, Json>>).map(([name, field]) => [
      name,
      { ...withoutNull(field), example: (example as Json)[name] ?? '' },
    ]),
  ),
});

function withoutNull({ anyOf, type, ...rest }: Json): Json {
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [];
  const schema = { ...rest, ...(type !== undefined && { type: types.length === 1 ? types[0] : type }) };
  const kinds = (anyOf as readonly Json[] | undefined)?.filter(({ type }) => type !== 'null');
  if (kinds === undefined) return schema;
  const [only, ...others] = kinds;
  return others.length === 0 ? { ...only, ...schema } : { ...schema, anyOf: kinds };
}

const failureContent = (example?: object): Json => ({
  'application/json': { schema: { $ref: '#/components/schemas/Error' }, example },
});

const tags: readonly { readonly name: Operation['tag']; readonly description: string }[] = [
  { name: 'speech', description: 'Generate speech from text.' },
  { name: 'voices', description: 'Clone voices from recordings, list and delete them.' },
  { name: 'service', description: 'Check the server, list models, read metrics.' },
];

const securitySchemes = (keyHeaders: readonly string[]): Json => ({
  bearer: { type: 'http', scheme: 'bearer', description: 'The key that the server was started with.' },
  ...Object.fromEntries(
    keyHeaders.map((name) => [name, { type: 'apiKey', in: 'header', name, description: 'The same key.' }]),
  ),
});

const pathParameters: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  id: { description: 'Voice name.', example: 'anna' },
  model: { description: 'Model name, as listed by `GET /v1/models`.', example: 'voxcpm-0.5b' },
  voice: { description: 'Voice name, or `default` for the model’s own voice.', example: 'default' },
  name: { description: 'Name of a LoRA adapter.', example: 'anna' },
};

interface ApiDescription {
  readonly version: string;
  readonly access: Access;
  /** Headers that may have the key, besides `Authorization`. */
  readonly keyHeaders: readonly string[];
}

function introduction(access: Access): string {
  return [
    'Local text-to-speech and voice cloning with VoxCPM. `POST /v1/audio/speech` is compatible with the OpenAI speech API: in any client library for it, set the base URL to this server.',
    access === 'token'
      ? 'This server requires an API key, sent as a bearer token. Choose **Authorize** to send requests from this page.'
      : 'This server requires no API key. Open an operation and choose **Execute** to send a request from this page.',
    '## Quick start',
    codeSamples(access).speech,
    '## Text as it is written',
    'A WebSocket at `/v1/audio/speech/stream` takes text while it is being written, such as by a language model, and sends the speech as it is generated, in the protocol of vLLM-Omni. OpenAPI cannot describe it: see [its documentation](https://github.com/vllm-project/vllm-omni/blob/main/docs/serving/speech_api.md#streaming-text-input-websocket).',
    '## Errors',
    'Errors have a status of 400 or above and one JSON format, for all operations:',
    `\`\`\`json\n${JSON.stringify(failures[400].example, undefined, 2)}\n\`\`\``,
    '`message` is one line, `param` the field at fault or `null`, `code` stable. Responses with status 429 and 503 have a `Retry-After` header.',
  ].join('\n\n');
}

export function createOpenApi(operations: readonly Operation[], { version, access, keyHeaders }: ApiDescription): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: describe(operation, access) };
  }
  const isLocked = access === 'token';
  const schemes = securitySchemes(keyHeaders);
  return {
    openapi: '3.1.0',
    info: { title: 'svc HTTP API', version, description: introduction(access), license: { name: 'Apache-2.0' } },
    // Relative to the document, behind any proxy.
    servers: [{ url: './' }],
    tags,
    ...(isLocked && { security: Object.keys(schemes).map((name) => ({ [name]: [] })) }),
    components: { schemas: { Error: schemaOf(failureBody, 'output') }, ...(isLocked && { securitySchemes: schemes }) },
    paths,
  };
}

function describe(operation: Operation, access: Access): Json {
  const { method, path, tag, summary, query, body, examples = {} } = operation;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, ...pathParameters[name], schema: { type: 'string' } },
  }));
  const parameters = [...inPath, ...(query === undefined ? [] : queryParameters(query, examples.query))];
  return {
    operationId: `${method}${path.replace(/[^a-z0-9]+(\w?)/gi, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    description: descriptionOf(operation, access),
    ...(operation.access === 'open' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, examples) }),
    responses: responsesOf(operation, access),
  };
}

function requestBodyOf(body: Contents, examples: Json): Json {
  const content = contentOf(body, 'input', examples);
  const isRequired = ({ schema }: { readonly schema: Json }) =>
    ((schema.required as readonly string[]) ?? []).length > 0;
  return { required: (Object.values(content) as { readonly schema: Json }[]).every(isRequired), content };
}

function descriptionOf({ description, samples = [] }: Operation, access: Access): string {
  const code = codeSamples(access);
  const fold = (title: string, text: string) => `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
  // Folded, so that the form for requests stays near.
  return [description, ...samples.map(({ title, name }) => fold(title, code[name]))].join('\n\n');
}

function responsesOf({ answers, access: own, failures: statuses = [] }: Operation, access: Access): Json {
  const isLocked = access === 'token' && own !== 'open';
  const refused = [...(isLocked ? ([401] as const) : []), ...statuses].map((status) => {
    const { description, example } = failures[status];
    return [status, { description, content: failureContent(example) }] as const;
  });
  const other = { description: 'Any other error.', content: failureContent() };
  const answered = Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)] as const);
  return { ...Object.fromEntries([...answered, ...refused]), default: other };
}

function describeAnswer({ description, contents, example, headers }: Answer): Json {
  const examples = contents && Object.fromEntries(Object.keys(contents).map((type) => [type, example]));
  const described = Object.entries(headers ?? {}).map(([name, text]) => {
    return [name, { description: text, schema: { type: 'string' } }] as const;
  });
  return {
    description,
    ...(headers && { headers: Object.fromEntries(described) }),
    ...(contents && { content: contentOf(contents, 'output', examples) }),
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
