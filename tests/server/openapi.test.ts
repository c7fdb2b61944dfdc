/** The OpenAPI document describes everything, with examples. `tests/system/code-samples.test.ts` runs its samples. */
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { documentOf, type OpenApiDocument, operationsOf } from './openapi-document.ts';
import { startServer } from './start-server.ts';
import { freshServer } from './test-server.ts';

const info = { patchSamples: 1280, inputPatchSamples: 640 };
const server = freshServer({ settings: { apiKey: 'secret' }, backend: { info } });
let document: OpenApiDocument;
beforeEach(async () => {
  document = await documentOf(server);
});
it('is written once', async () => {
  await using other = await startServer();
  const write = jest.spyOn(JSON, 'stringify');
  const written = () => write.mock.calls.filter(([value]) => Object(value).openapi !== undefined).length;
  const texts = [];
  for (let count = 0; count < 3; count += 1) texts.push(await (await fetch(`${other.url}/openapi.json`)).text());
  const times = written();
  write.mockRestore();
  expect([new Set(texts).size, times]).toEqual([1, 1]);
});
describe('each operation', () => {
  it('has a summary and a description that differ', () => {
    for (const { name, operation } of operationsOf(document)) {
      const { summary, description } = operation;
      expect([name, summary, description.length > 15]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/), true]);
      expect(description).not.toContain(summary);
    }
  });

  it('has an example of each request body and of each JSON response', () => {
    const missing = operationsOf(document).flatMap(({ name, operation: { requestBody, responses } }) => [
      ...Object.entries(requestBody?.content ?? {}).map(([type, media]) => [name, type, media] as const),
      ...Object.entries(responses)
        .filter(([status]) => status !== 'default' && !name.endsWith('/openapi.json'))
        .flatMap(([status, { content = {} }]) =>
          Object.entries(content).map(([type, media]) => [`${name} ${status}`, type, media] as const),
        ),
    ]);
    const json = missing.filter(([, type]) => /json|form/.test(type));
    expect(json.length).toBeGreaterThan(40);
    expect(json.filter(([, , { example }]) => example === undefined)).toEqual([]);
  });

  it('describes each field of a JSON response', () => {
    const fields = operationsOf(document).flatMap(({ name, operation: { responses } }) =>
      Object.values(responses).flatMap(({ content = {} }) =>
        Object.entries(content['application/json']?.schema.properties ?? {}).map(
          ([field, schema]) => [`${name} ${field}`, schema] as const,
        ),
      ),
    );
    const constant = /"const":|"items":/;
    expect(
      fields
        .filter(([, schema]) => schema.description === undefined && !constant.test(JSON.stringify(schema)))
        .map(([name]) => name),
    ).toEqual(
      ['', '/load', '/unload'].map((end) => `${end === '' ? 'get' : 'post'} /v1/models/{model}${end} owned_by`),
    );
  });

  it('has the choices, defaults and examples of scripts and timestamps', () => {
    const body = document.paths['/v1/audio/speech']?.post?.requestBody?.content['application/json'];
    const { input_format, timestamps, input, voices, lexicon } = body?.schema.properties ?? {};
    expect([input_format?.default, timestamps?.default]).toEqual(['auto', 'none']);
    expect(JSON.stringify(input_format)).toContain('"enum":["auto","plain","markdown","ssml","script","turns"]');
    expect(JSON.stringify(timestamps)).toContain('"enum":["none","sentence","word"]');
    for (const field of [input, voices, lexicon]) expect(JSON.stringify(field)).toContain('"examples":[');
  });

  it('has the errors of its endpoint, and 401 where a key is required', () => {
    const statuses = Object.fromEntries(
      operationsOf(document).map(({ name, operation }) => [name, Object.keys(operation.responses)]),
    );
    expect(statuses['post /v1/audio/speech']).toEqual(['200', '400', '401', '403', '404', '413', '503', 'default']);
    expect(statuses['post /v1/audio/speech/stream']).toEqual(expect.arrayContaining(['422', '429']));
    expect(statuses['get /healthz']).toEqual(['200', 'default']);
  });
});
