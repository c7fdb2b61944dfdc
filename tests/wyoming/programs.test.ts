/** Several models behind one Wyoming server, and a socket that is a file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { ModelLimits } from '../../src/engine/backend.ts';
import { fakeModels } from '../model-pool/fake-models.ts';
import { presets } from '../presets.ts';
import { freshServer } from '../server/test-server.ts';
import { startWyoming } from './start-wyoming.ts';

const rates: Readonly<Record<string, number>> = { small: 16_000, large: 48_000 };

const server = freshServer(startWyoming);
const models = fakeModels(Object.keys(rates), (name) => ({
  ...{ stopAt: 4, firstLevel: 0.1 },
  info: { architecture: name === 'large' ? 'voxcpm2' : 'voxcpm', outputSampleRate: rates[name] as number },
}));

const startModels = (large: ModelLimits = {}): Promise<void> =>
  server.start({ models: (logger) => models.open({ aliases: { 'tts-1': 'large' }, limits: { large }, logger }) });

interface Info {
  readonly tts: readonly {
    readonly name: string;
    readonly voices: readonly { readonly name: string; readonly languages: readonly string[] }[];
  }[];
}

describe('programs', () => {
  it('are the models, which connections select', async () => {
    await startModels();
    await using client = await server.connect();
    const languages = async () => {
      client.send('describe');
      const info = (await client.next())?.data as unknown as Info;
      return info.tts.map(({ name, voices }) => `${name} ${voices[0]?.languages.length}`);
    };
    const rateOf = async (): Promise<unknown> => {
      client.send('synthesize', { text: 'Hello.' });
      return (await client.until('audio-stop'))[0]?.data.rate;
    };
    expect(await languages()).toEqual(['small 2', 'large 2']);
    expect(await rateOf()).toBe(16_000);
    client.send('select-program', { name: 'tts-1' });
    expect(await rateOf()).toBe(48_000);
    expect(await languages()).toEqual(['small 2', 'large 30']);
    client.send('synthesize-start');
    client.send('synthesize-chunk', { text: 'Hello.' });
    client.send('synthesize-stop');
    expect((await client.until('synthesize-stopped'))[0]?.data.rate).toBe(48_000);
    client.send('select-program', { name: 'other' });
    expect((await client.until('error')).at(-1)?.data.code).toBe('model_not_found');
  });

  it('have the voices and languages in the file of a model before it is loaded', async () => {
    await startModels({ languages: ['en'] });
    await using client = await server.connect();
    client.send('describe');
    const tts = ((await client.next())?.data as unknown as Info | undefined)?.tts ?? [];
    expect(tts[0]?.voices.map(({ name }) => name)).toEqual(['default', ...presets]);
    expect(tts[1]?.voices[0]).toMatchObject({ name: 'default', languages: ['en'] });
  });

  it('have names, also of a single model', async () => {
    await using client = await server.connect();
    client.send('select-program', { name: 'other' });
    const text = 'unknown program "other" (available: fake)';
    expect((await client.until('error')).at(-1)?.data).toEqual({ text, code: 'model_not_found' });
  });
});

describe('a socket that is a file', () => {
  it('serves clients until it is closed, and is removed then', async () => {
    const path = models.folder.join('svc.sock');
    await server.start({}, { address: { kind: 'unix', path } });
    const socket = connect(path);
    socket.write('{"type":"ping"}\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('"type":"pong"');
    socket.destroy();
    await server.close();
    const [error] = (await once(connect(path), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ENOENT');
  });

  it('is opened again after a server that was killed', async () => {
    const path = models.folder.join('svc.sock');
    const killed = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('listening'))`,
    ]);
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect((await lstat(path)).isSocket()).toBe(true);
    await server.start({}, { address: { kind: 'unix', path } });
    const socket = connect(path);
    await once(socket, 'connect');
    socket.destroy();
  });

  it('is refused when another server listens there, which stays', async () => {
    const path = models.folder.join('svc.sock');
    await server.start({}, { address: { kind: 'unix', path } });
    await expect(startWyoming({}, { address: { kind: 'unix', path } })).rejects.toThrow('already in use');
    const socket = connect(path);
    await once(socket, 'connect');
    socket.destroy();
  });

  it('is refused when it is another file, which stays', async () => {
    const path = models.folder.join('small.gguf');
    await expect(startWyoming({}, { address: { kind: 'unix', path } })).rejects.toThrow(
      `cannot listen on ${path}: the address is already in use; choose another --wyoming`,
    );
    expect(await readFile(path, 'utf8')).toBe('small');
  });
});
