/** Unmodified clients of the Model Context Protocol with `svc mcp`, `svc serve` and the demo model. */
import { execFile } from 'node:child_process';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { startSvcServe } from '../../bench/svc-process.ts';
import { svcProgram } from '../../bench/svc-program.ts';
import { presets } from '../presets.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { runClient, sharedServe } from './run-client.ts';

const execute = promisify(execFile);

const tools = ['speak', 'clone_voice', 'list_voices', 'list_models'];
const options = ['--backend', 'cpu', '--threads', '1'];

const folder = sharedFolder();
const server = sharedServe('--api-key', 'sk-test');

/** `svc mcp` with a store of its own. */
const command = (): readonly string[] => [process.execPath, ...svcProgram(), 'mcp', ...options, '--voice-dir', folder];

interface Got {
  readonly tools: readonly string[];
  readonly voices: readonly string[];
  readonly mime: string;
  readonly bytes: number;
  readonly spoken: { readonly seconds: number; readonly first_audio_seconds: number };
  readonly seconds: number;
  readonly progress: readonly (readonly [number, string])[];
  readonly wrong: readonly [boolean, string];
  readonly canceled: boolean;
  readonly files?: object;
}

const expectSpeech = (got: Got): void => {
  expect(got.tools).toEqual(tools);
  expect(got.voices).toEqual(expect.arrayContaining(['default', ...presets]));
  expect([got.mime, got.bytes > 5_000, got.canceled]).toEqual(['audio/mpeg', true, true]);
  expect(got.spoken.seconds).toBeGreaterThan(1);
  // The first audio is reported before the last.
  expect(got.progress.length).toBeGreaterThan(1);
  expect(got.progress[0]?.[0]).toBeLessThan(got.spoken.seconds);
  expect(got.wrong).toEqual([true, expect.stringContaining('unknown voice "nobody"')]);
  console.log(
    `first audio ${Math.round(got.spoken.first_audio_seconds * 1000)} ms after the call of speak, ${got.spoken.seconds} s of speech in ${Math.round(got.seconds * 1000)} ms`,
  );
};

describe('the mcp package of Python', () => {
  it('speaks over HTTP', async () => {
    expectSpeech(await runClient<Got>('mcp_package.py', ['http', server.url, 'sk-test']));
  });

  it('speaks, writes files and clones voices with svc mcp', async () => {
    const root = mkdtempSync(join(folder, 'root-'));
    const got = await runClient<Got>('mcp_package.py', ['stdio', JSON.stringify(command()), root]);
    expectSpeech(got);
    expect(got.files).toEqual({
      written: join(root, 'hello.wav'),
      cloned: 'kim',
      outside: true,
      resource: 'RIFF',
    });
    expect(statSync(join(root, 'hello.wav')).size).toBeGreaterThan(20_000);
  });
});

it('an agent of Pydantic AI finds the tools, lists voices and speaks', async () => {
  const got = await runClient<{
    readonly output: string;
    readonly described: Readonly<Record<string, readonly string[]>>;
    readonly returned: Readonly<Record<string, { readonly voices?: readonly object[]; readonly uri?: string }>>;
  }>('mcp_pydantic_ai.py', [server.url, 'sk-test']);
  expect(got.output).toBe('done');
  expect(Object.keys(got.described)).toEqual(expect.arrayContaining(tools));
  expect(got.described.speak).toEqual(expect.arrayContaining(['input', 'voice', 'speed']));
  expect(Object.keys(got.returned)).toEqual(['list_voices', 'speak']);
  expect(JSON.stringify(got.returned.speak)).toContain('svc://speech/');
});

describe("the inspector's command line", () => {
  const bin = () => join(String(process.env.NODE_PATH), '.bin', 'mcp-inspector');
  async function inspect(target: readonly string[], ...method: readonly string[]) {
    const { stdout } = await execute(process.execPath, [bin(), '--cli', ...target, '--method', ...method]);
    return JSON.parse(stdout);
  }
  const speak = ['tools/call', '--tool-name', 'speak', '--tool-arg', 'input=Hello there.', 'output=audio'] as const;

  it('lists and calls the tools of svc mcp', async () => {
    const [program, ...args] = command();
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { svc: { command: program, args } } }));
    const target = ['--config', config, '--server', 'svc'];
    const listed = await inspect(target, 'tools/list');
    expect(listed.tools.map(({ name }: { readonly name: string }) => name)).toEqual(tools);
    expect((await inspect(target, 'resources/templates/list')).resourceTemplates).toHaveLength(3);
    const { content, structuredContent } = await inspect(target, ...speak);
    expect(content.map(({ type }: { readonly type: string }) => type)).toEqual(['text', 'audio']);
    expect(structuredContent.seconds).toBeGreaterThan(0.3);
  });

  it('lists and calls those of svc serve', async () => {
    const open = await startSvcServe(options);
    try {
      const target = [`${open.url}/mcp`];
      expect((await inspect(target, 'tools/list')).tools).toHaveLength(tools.length);
      expect((await inspect(target, ...speak)).structuredContent.seconds).toBeGreaterThan(0.3);
    } finally {
      await open.stop();
    }
  });
});
