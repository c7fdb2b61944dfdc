/** The add-on of Home Assistant: its files as the Supervisor's documentation describes them, and the program that it runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { freePort } from '../../bench/broker/redis-process.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = join('deploy', 'home-assistant');
const read = (...names: readonly string[]): unknown => parse(readFileSync(join(folder, ...names), 'utf8'));

/** Fields and values of https://developers.home-assistant.io/docs/add-ons/configuration that svc may need. */
const option = z
  .string()
  .regex(/^(str|bool|int|float|email|url|port|password|list|match|device)(\([^()]*\))?\??$/, 'a type of an option');
const port = z.string().regex(/^\d{1,5}\/(tcp|udp)$/);
const architecture = z.enum(['aarch64', 'amd64']);
const text = z.string().min(1);
const configuration = z.strictObject({
  name: text,
  version: text,
  slug: z.string().regex(/^[-_.a-z0-9]+$/),
  description: text,
  arch: z.array(architecture).min(1),
  url: z.url().optional(),
  image: text.optional(),
  init: z.boolean().optional(),
  startup: z.enum(['initialize', 'system', 'services', 'application', 'once']).optional(),
  boot: z.enum(['auto', 'manual', 'manual_only']).optional(),
  homeassistant: z
    .string()
    .regex(/^\d{4}\.\d{1,2}\.\d+$/)
    .optional(),
  discovery: z.array(z.literal('wyoming')).optional(),
  watchdog: z
    .string()
    .regex(/^(https?|\[PROTO:\w+\]|tcp):\/\/\[HOST\]:(\[PORT:\d+\]|\d+).*$/)
    .optional(),
  timeout: z.int().min(10).max(300).optional(),
  map: z
    .array(
      z.strictObject({
        type: z.enum(['addon_config', 'data', 'homeassistant_config', 'media', 'share', 'ssl']),
        read_only: z.boolean().optional(),
        path: z.string().startsWith('/').optional(),
      }),
    )
    .optional(),
  backup_exclude: z.array(text).optional(),
  ports: z.record(port, z.int().min(1).max(65_535).nullable()).optional(),
  ports_description: z.record(port, text).optional(),
  options: z.record(z.string(), z.unknown()),
  schema: z.record(z.string(), option),
});
const images = z.strictObject({ build_from: z.record(architecture, text) });
const described = z.record(z.string(), z.strictObject({ name: text, description: text.optional() }));
const translation = z.strictObject({ configuration: described, network: z.record(port, text) });
const repository = z.strictObject({ name: text, maintainer: text.optional(), url: z.url().optional() });

describe('the files of the add-on', () => {
  it('have the fields and values that are documented', () => {
    expect(() => repository.parse(read('repository.yaml'))).not.toThrow();
    const config = configuration.parse(read('svc', 'config.yaml'));
    const names = Object.keys(config.schema);
    expect(Object.keys(translation.parse(read('svc', 'translations', 'en.yaml')).configuration)).toEqual(names);
    // Each option without a default is optional.
    const required = names.filter((name) => !config.schema[name]?.endsWith('?'));
    expect(required.filter((name) => !(name in config.options))).toEqual([]);
    expect(Object.keys(images.parse(read('svc', 'build.yaml')).build_from).sort()).toEqual([...config.arch].sort());
    expect(Object.keys(config.ports ?? {})).toEqual(Object.keys(config.ports_description ?? {}));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(config.version).toBe(version);
  });

  it('are refused with a field or a type that there is not', () => {
    const config = read('svc', 'config.yaml') as object;
    expect(() => configuration.parse({ ...config, prots: {} })).toThrow('prots');
    expect(() => configuration.parse({ ...config, schema: { model: 'string?' } })).toThrow('a type of an option');
  });
});

describe('the program of the add-on', () => {
  const own = freshFolder();
  /** Writes its arguments, answers at the port like svc, and ends with 7 at SIGTERM. */
  const fake = `
    import { writeFileSync } from 'node:fs';
    import { createServer } from 'node:net';
    const words = process.argv.slice(2);
    writeFileSync(process.env.SEEN, JSON.stringify({ words, key: process.env.SVC_API_KEY ?? null }));
    createServer((socket) => socket.destroy()).listen(Number(words[2].split(':')[2]));
    process.on('SIGTERM', () => process.exit(7));
  `;

  async function run(options: object, status = 200) {
    const requests: { readonly url: string; readonly key: string; readonly body: unknown }[] = [];
    let announced = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      announced = resolve;
    });
    await using supervisor = await listen(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      requests.push({ url: String(request.url), key: String(request.headers.authorization), body: JSON.parse(body) });
      response.writeHead(status).end('{}', announced);
    });
    writeFileSync(own.join('options.json'), JSON.stringify(options));
    writeFileSync(own.join('fake.mjs'), fake);
    const wyoming = String(await freePort());
    const child = spawn(process.execPath, [join(folder, 'svc', 'run.mjs')], {
      env: {
        PATH: process.env.PATH,
        SVC_PROGRAM: own.join('fake.mjs'),
        ADDON_OPTIONS: own.join('options.json'),
        SEEN: own.join('seen.json'),
        WYOMING_PORT: wyoming,
        SUPERVISOR_URL: supervisor.url,
        SUPERVISOR_TOKEN: 'token',
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (part: Buffer) => {
      errors += part;
    });
    await told;
    await (status === 200 ? undefined : eventually(() => errors !== '', 'a message'));
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    const seen = JSON.parse(readFileSync(own.join('seen.json'), 'utf8')) as { words: string[]; key: string | null };
    return { ...seen, code, errors, requests, wyoming };
  }

  it('serves Wyoming, tells Home Assistant its address, and ends with svc', async () => {
    const { words, key, code, requests, wyoming, errors } = await run({});
    expect(words).toEqual([
      ...['serve', '--wyoming', `tcp://0.0.0.0:${wyoming}`, '--voice-dir', '/voices', '--log-format', 'json'],
    ]);
    expect([key, code, errors]).toEqual([null, 7, '']);
    const config = { uri: `tcp://${hostname()}:${wyoming}` };
    expect(requests).toEqual([{ url: '/discovery', key: 'Bearer token', body: { service: 'wyoming', config } }]);
  });

  it('passes the options on, a key not as an argument', async () => {
    const options = { model: 'voxcpm-0.5b', default_voice: 'iris', threads: 3, normalize: false, api_key: 'secret' };
    const { words, key } = await run(options);
    expect(words.slice(7)).toEqual([
      ...['--model', 'voxcpm-0.5b', '--default-voice', 'iris', '--threads', '3', '--default', 'normalize=off'],
      ...['--host', '0.0.0.0'],
    ]);
    expect(key).toBe('secret');
  });

  it('goes on without an announcement', async () => {
    const { code, errors } = await run({ model: '' }, 403);
    expect(code).toBe(7);
    expect(errors).toBe(
      'cannot announce svc to Home Assistant: status 403; add the Wyoming integration by its address\n',
    );
  });
});
