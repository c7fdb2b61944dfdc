import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { readAudioFile } from '../../src/audio/decode/read-audio.ts';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import type { Loudspeaker } from '../../src/cli/io.ts';
import { callerOf, textOf } from '../server/mcp/mcp-client.ts';
import { createGate } from '../support/gate.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { invoke } from './invoke.ts';

let folder: TemporaryFolder;
let root: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  root = join(folder.path, 'root');
  await mkdir(join(root, 'sub'), { recursive: true });
});

afterEach(async () => {
  await folder[Symbol.asyncDispose]();
});

interface Started extends AsyncDisposable {
  readonly client: Client;
  readonly call: (name: string, input: object) => Promise<CallToolResult>;
  /** Everything on standard output. */
  readonly lines: readonly string[];
  /** Ends standard input; resolves to the exit code. */
  end(): Promise<number>;
}

interface StartOptions {
  readonly argv?: readonly string[];
  /** Folders that the client grants; undefined for a client that grants none. */
  readonly roots?: readonly string[] | undefined;
  readonly loudspeaker?: Loudspeaker;
}

async function start({ argv = [], roots, loudspeaker }: StartOptions = {}): Promise<Started> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  const environment = { SVC_SQLITE_PATH: join(folder.path, 'voices.sqlite') };
  const backend = { stopAt: 4, info: { inputPatchSamples: 640 } };
  const done = invoke(['mcp', ...argv], { stdin, stdout, environment, backend, ...(loudspeaker && { loudspeaker }) });
  const client = new Client(
    { name: 'tests', version: '1' },
    { capabilities: roots === undefined ? {} : { roots: {} } },
  );
  if (roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href })),
    }));
  }
  await client.connect(transportOver(stdin, stdout, lines));
  const end = async (): Promise<number> => {
    stdin.end();
    return (await done).code;
  };
  return { client, call: callerOf(client), lines, end, [Symbol.asyncDispose]: async () => void (await end()) };
}

/** The client's side of two streams, as the SDK has it for processes alone. */
function transportOver(stdin: PassThrough, stdout: PassThrough, lines: string[]): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      stdout.on('data', (part: Buffer) => {
        lines.push(part.toString());
        buffer.append(part);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message);
        }
      });
    },
    send: async (message) => void stdin.write(serializeMessage(message)),
    close: async () => transport.onclose?.(),
  };
  return transport;
}

describe('svc mcp', () => {
  it('speaks to the client, writes only messages to standard output, and ends with standard input', async () => {
    const { call, client, lines, end } = await start();
    const spoken = await call('speak', { input: 'hello', response_format: 'wav' });
    const [, audio] = spoken.content;
    expect(decodeWav(Buffer.from(audio?.type === 'audio' ? audio.data : '', 'base64')).samples).toHaveLength(20);
    expect(client.getServerVersion()).toMatchObject({ name: 'svc' });
    for (const line of lines.join('').trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(await end()).toBe(0);
  });

  it('writes files below the roots of the client, or the folders of --root, and nowhere else', async () => {
    const outside = join(folder.path, 'outside');
    await mkdir(outside);
    await symlink(outside, join(root, 'link'));
    await writeFile(join(root, 'taken.wav'), 'taken');
    const own = join(folder.path, 'own');
    await mkdir(own);
    await using started = await start({ argv: ['--root', own], roots: [root] });
    const write = (path: string, more: object = {}) => started.call('speak', { input: 'hello', path, ...more });
    const written = await write('sub/hello.wav');
    expect(written.structuredContent).toMatchObject({ output: 'file', path: join(root, 'sub', 'hello.wav') });
    expect(written.content[1]).toMatchObject({
      type: 'resource_link',
      uri: pathToFileURL(join(root, 'sub', 'hello.wav')).href,
      size: 84,
    });
    expect((await readAudioFile(join(root, 'sub', 'hello.wav'))).samples).toHaveLength(20);
    for (const path of [join(own, 'a.wav'), pathToFileURL(join(root, 'b.wav')).href]) {
      expect((await write(path)).isError).toBeUndefined();
    }
    const refused: readonly (readonly [string, object, string])[] = [
      [join(outside, 'a.wav'), {}, 'below the granted ones'],
      ['../outside/a.wav', {}, 'below the granted ones'],
      ['link/a.wav', {}, 'below the granted ones'],
      ['.hidden.wav', {}, 'below the granted ones'],
      ['missing/a.wav', {}, 'below the granted ones'],
      ['taken.wav', {}, 'exists; choose another path'],
      ['a.txt', {}, 'path must end with .wav, .flac'],
      ['a.wav', { response_format: 'mp3' }, 'path must end with .mp3'],
      ['a.wav', { output: 'play' }, 'path needs the output "file"'],
    ];
    for (const [path, more, message] of refused) {
      const { isError, ...result } = await write(path, more);
      expect([path, isError, textOf(result)]).toEqual([path, true, expect.stringContaining(message)]);
    }
    expect(await readdir(outside)).toEqual([]);
    expect((await readdir(root)).sort()).toEqual(['b.wav', 'link', 'sub', 'taken.wav']);
  });

  it('clones recordings below the roots alone, and takes no file of a client without roots', async () => {
    const recording = encodeWav(new Float32Array(16_000).fill(0.1), 16_000);
    await writeFile(join(root, 'kim.wav'), recording);
    await writeFile(join(folder.path, 'secret.wav'), recording);
    {
      await using started = await start({ roots: [root] });
      const clone = (name: string, path: string) =>
        started.call('clone_voice', { name, prompt_wav_path: path, prompt_text: 'what kim says' });
      expect((await clone('kim', 'kim.wav')).isError).toBeUndefined();
      expect((await clone('secret', join(folder.path, 'secret.wav'))).isError).toBe(true);
      const spoken = { input: 'hello', prompt_wav_path: join(root, 'kim.wav'), prompt_text: 'what kim says' };
      expect((await started.call('speak', spoken)).isError).toBeUndefined();
    }
    await using started = await start();
    const refused = await started.call('clone_voice', { name: 'ben', prompt_wav_path: join(root, 'kim.wav') });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('add --root FOLDER')]);
  });

  it('plays where there is a loudspeaker, one speech after the other', async () => {
    const events: string[] = [];
    const gate = createGate();
    const loudspeaker: Loudspeaker = {
      find: async () => ({ name: 'playback', status: 'ok', summary: 'an audio output' }),
      async open() {
        events.push('open');
        return {
          write: async () => gate.passed,
          finish: async () => void events.push('finish'),
          abort: async () => void events.push('abort'),
        };
      },
    };
    await using started = await start({ loudspeaker });
    const both = Promise.all(['hello', 'again'].map((input) => started.call('speak', { input })));
    gate.open();
    for (const { structuredContent } of await both) expect(structuredContent).toMatchObject({ output: 'play' });
    expect(events).toEqual(['open', 'finish', 'open', 'finish']);
  });
});
