/** Generators and a fuzzer read the OpenAPI document: their clients are built and used, its promises are tried. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { runClient } from './run-client.ts';

const execute = promisify(execFile);
const root = process.cwd();
const key = 'sk-test';

let server: ChildProcess;
let url: string;

afterAll(async () => {
  const closed = once(server, 'close');
  server.stdin?.end();
  await closed;
});
const folder = sharedFolder();
const recording = join(folder, 'kim.wav');
beforeAll(async () => {
  await writeFile(recording, encodeWav(new Float32Array(16_000).fill(0.1), 16_000));
  server = spawn(process.execPath, ['--import', 'tsx', 'tests/system/schema-server.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  ({ url } = JSON.parse(line.toString()) as { readonly url: string });
  const document = await (await fetch(`${url}/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), document);
});

it('openapi-python-client generates a client that lists, uploads, speaks and gets errors', async () => {
  const generate = ['-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', '--output-path', 'python'];
  const { stdout } = await execute('python3', generate, { cwd: folder });
  // All but audio and lines of JSON, of which it has no type.
  const omitted = [...stdout.matchAll(/Unsupported content_type ([^)]+)\)/g)].map(([, types]) => types ?? '');
  for (const types of omitted) expect(types).toMatch(/^(audio\/|application\/x-ndjson)/);
  expect(stdout).not.toMatch(/endpoint will not be generated|could not be/i);
  const values = [url, key, join(folder, 'python'), recording];
  expect(await runClient('openapi_generated.py', values)).toEqual({
    models: ['fake'],
    added: 'kim',
    voices: expect.arrayContaining(['kim', 'alma']),
    spoken: [200, 'audio/wav', expect.any(Number)],
    played: 'success',
    wrong: 'voice_not_found',
    deleted: true,
  });
});

/** With the types of openapi-typescript. */
const typedClient = `
import { readFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.ts';

const [url = '', key = '', recording = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: \`Bearer \${key}\` } });
const sample = new Blob([await readFile(recording)], { type: 'audio/wav' });
const added = await client.POST('/v1/audio/voices', {
  body: { audio_sample: 'kim.wav', name: 'kim', ref_text: 'What Kim says.' },
  bodySerializer({ audio_sample, ...fields }) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('audio_sample', sample, audio_sample);
    return form;
  },
});
const spoken = await client.POST('/v1/audio/speech', {
  body: { input: 'Hello there.', voice: 'kim', response_format: 'wav', speed: 1.1 },
  parseAs: 'arrayBuffer',
});
const voices = await client.GET('/v1/voices');
const wrong = await client.POST('/v1/audio/speech', { body: { input: 'Hello there.', voice: 'nobody' } });
const deleted = await client.DELETE('/v1/voices/{id}', { params: { path: { id: 'kim' } } });
console.log(
  JSON.stringify({
    added: added.data?.id,
    kim: voices.data?.voices.some(({ id }) => id === 'kim'),
    status: spoken.response.status,
    bytes: spoken.data instanceof ArrayBuffer && spoken.data.byteLength > 1000,
    wrong: wrong.error?.error.code,
    deleted: deleted.data?.deleted,
  }),
);
`;

it('openapi-typescript generates types, with which a client is compiled and run', async () => {
  const packages = String(process.env.NODE_PATH);
  const bin = join(packages, 'openapi-typescript', 'bin', 'cli.js');
  await execute(process.execPath, [bin, 'openapi.json', '--output', 'openapi.ts'], { cwd: folder });
  await writeFile(join(folder, 'client.ts'), typedClient);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(packages, join(folder, 'node_modules'));
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext'];
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', '--allowImportingTsExtensions'];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await execute(process.execPath, [compiler, ...options, ...types, 'client.ts'], { cwd: folder });
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
  const { stdout } = await execute(process.execPath, [tsx, 'client.ts', url, key, recording], { cwd: folder });
  const expected = { added: 'kim', kim: true, status: 200, bytes: true, wrong: 'voice_not_found', deleted: true };
  expect(JSON.parse(stdout)).toEqual(expected);
});

/** Schemas cannot say which adapters and recordings there are, or which fields contradict each other. */
const configuration = `
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "406", "409", "413", "415", "422"]
`;

/** What is as it should be. */
const exceptions = [
  // An address for WebSockets, which the document cannot have.
  'GET /v1/audio/speech/stream ST204',
  // A voice may be called "add".
  'OPTIONS /v1/voices/add ST205',
  // Forms have no types: "0" is false.
  'POST /tts ST201',
];

describe('Schemathesis', () => {
  it('finds no broken promise', async () => {
    const config = join(folder, 'schemathesis.toml');
    await writeFile(config, configuration);
    const fuzz = ['-m', 'schemathesis.cli', '--config-file', config, 'run', `${url}/openapi.json`, '--url', url];
    const limits = ['--checks', 'all', '--max-examples', '2', '--seed', '1', '--no-color'];
    const times = ['--request-timeout', '300', '--max-response-time', '300'];
    const ran = execute('python3', [...fuzz, '--header', `Authorization: Bearer ${key}`, ...limits, ...times], {
      cwd: folder,
      maxBuffer: 2 ** 26,
    });
    const { stdout } = await ran.catch((error: { readonly stdout: string }) => error);
    const failures = [...stdout.matchAll(/^_{3,} (.+?) _{3,}$([\s\S]*?)(?=^_{3,}|^={3,})/gm)].flatMap(
      ([, operation, text = '']) =>
        [...text.matchAll(/^- (ST\d+)/gm)].map(([, code]) => [`${operation} ${code}`, text]),
    );
    expect(failures.filter(([failure = '']) => !exceptions.includes(failure))).toEqual([]);
    expect(stdout).toMatch(/Test cases:\s+\d{3,} generated/);
  });
});
