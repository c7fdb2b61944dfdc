/** The code samples of the API reference, with curl, Node.js and Python, against a server. */
import { execFile } from 'node:child_process';
import { chmod, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { startServer, type TestServer } from '../server/start-server.ts';
import { freshFolder } from '../support/test-folder.ts';

interface Document {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly description: string }>>>>;
}

let server: TestServer;
let document: Document;

afterEach(() => server.close());
const folder = freshFolder();
beforeEach(async () => {
  server = await startServer({
    settings: { apiKey: 'secret' },
    backend: { info: { patchSamples: 1280, inputPatchSamples: 640 } },
  });
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
});

const textIn = ({ text }: { readonly text: string }): string => text;

describe('code samples', () => {
  /** Samples by what they call: the paths, and `general`. */
  const samplesIn = (language: string): Readonly<Record<string, readonly string[]>> => {
    const described = [
      ['general', [document.info]] as const,
      ...Object.entries(document.paths).map(([path, methods]) => [path, Object.values(methods)] as const),
    ];
    const samples = described.map(([path, operations]) => {
      const texts = operations.flatMap(({ description }) => [
        ...description.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')),
      ]);
      return [path, texts.map(([, code = '']) => code.replaceAll('http://127.0.0.1:8000', server.url))] as const;
    });
    return Object.fromEntries(samples.filter(([, codes]) => codes.length > 0));
  };

  function namedSamples(language: string) {
    const {
      general: [speech] = [],
      '/v1/audio/speech': [chunks, events, timestamps, dialogue] = [],
      '/v1/audio/speech/stream': [samples] = [],
      '/v1/voices': [voice] = [],
      ...others
    } = samplesIn(language);
    expect(others).toEqual({});
    return { speech, chunks, events, timestamps, dialogue, samples, voice };
  }

  /** Runs a sample in its own folder, where a recording and the packages of this project are. */
  async function run(program: string, parameters: readonly string[]): Promise<string> {
    await writeFile(folder.join('anna.wav'), encodeWav(new Float32Array(8000).fill(0.1), 16_000));
    await writeFile(folder.join('ffplay'), '#!/bin/sh\ncat > heard.wav\n');
    await chmod(folder.join('ffplay'), 0o755);
    await symlink(join(process.cwd(), 'node_modules'), folder.join('node_modules')).catch(() => undefined);
    const env = { ...process.env, PATH: `${folder.path}:${process.env.PATH}`, SVC_API_KEY: 'secret' };
    return (await promisify(execFile)(program, parameters, { cwd: folder.path, env })).stdout;
  }

  const sizeOf = async (name: string): Promise<number> => (await stat(folder.join(name))).size;

  it('run with curl', async () => {
    const { speech, chunks, events, timestamps, dialogue, samples, voice } = namedSamples('sh');
    await run('bash', ['-ec', `${speech}`]);
    expect(await sizeOf('hello.mp3')).toBeGreaterThan(100);
    await run('bash', ['-ec', `${chunks}`]);
    expect((await readFile(folder.join('heard.wav'))).subarray(0, 4).toString()).toBe('RIFF');
    expect(await run('bash', ['-ec', `${events}`])).toMatch(/^data: .*speech\.audio\.delta/);
    const { audio, timestamps: times } = JSON.parse(await run('bash', ['-ec', `${timestamps}`]));
    expect([Buffer.from(audio, 'base64').length > 100, times.items.map(textIn)]).toEqual([true, ['Hello', 'there.']]);
    await run('bash', ['-ec', `${dialogue}`]);
    expect(await sizeOf('hello.wav')).toBeGreaterThan(100);
    await run('bash', ['-ec', `${samples}`]);
    expect(await sizeOf('hello.pcm')).toBeGreaterThan(100);
    expect(JSON.parse(await run('bash', ['-ec', `${voice}`]))).toMatchObject({ id: 'anna', object: 'voice' });
  });

  it('run in Node.js', async () => {
    const { speech, chunks, events, timestamps, dialogue, samples, voice } = namedSamples('js');
    const runScript = async (code = ''): Promise<string> => {
      await rm(folder.join('hello.mp3'), { force: true });
      await writeFile(folder.join('sample.mjs'), code);
      return run(process.execPath, ['sample.mjs']);
    };
    for (const code of [speech, chunks, events]) {
      await runScript(code);
      expect(await sizeOf('hello.mp3')).toBeGreaterThan(100);
    }
    expect(await runScript(timestamps)).toMatch(/^[\d.]+ [\d.]+ Hello\n[\d.]+ [\d.]+ there\.\n$/);
    expect(await sizeOf('hello.mp3')).toBeGreaterThan(100);
    await runScript(dialogue);
    expect(await sizeOf('hello.wav')).toBeGreaterThan(100);
    expect(await runScript(samples)).toMatch(/^\d+ Hz\n\d+ bytes/);
    expect(await runScript(voice)).toBe('anna\n');
  });

  it('compile as Python', async () => {
    const samples = Object.values(samplesIn('python')).flat();
    expect(samples).toHaveLength(7);
    for (const code of samples) {
      await writeFile(folder.join('sample.py'), code);
      await run('python3', ['-m', 'py_compile', 'sample.py']);
    }
  });
});
