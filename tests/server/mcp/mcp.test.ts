import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CallToolResult,
  ErrorCode,
  type McpError,
  ResourceListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { presets } from '../../presets.ts';
import { eventually } from '../../support/eventually.ts';
import { rawRequest } from '../raw-request.ts';
import { bearer, type StartOptions, startServer, wavOf } from '../start-server.ts';
import { expectError, freshServer } from '../test-server.ts';
import { type Agent, connectAgent, textOf } from './mcp-client.ts';

let agent: Agent;
afterEach(() => agent.client.close());
const server = freshServer();

async function start(options: StartOptions = {}, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  await server.start(options);
  agent = await connectAgent(server.url, headers);
}

const wav = (): string => wavOf().toString('base64');

const audioOf = ({ content }: CallToolResult): Buffer => {
  const [data] = content.flatMap((part) => (part.type === 'audio' ? [part.data] : []));
  return Buffer.from(data ?? '', 'base64');
};

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const mcpHeaders = { Accept: 'application/json, text/event-stream' };
const send = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  server.post('/mcp', body, { headers: { ...mcpHeaders, ...headers } });

describe('MCP over HTTP', () => {
  it('lists tools with their schemas, and that of the recognizer only where there is one', async () => {
    await start();
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['speak', 'clone_voice', 'list_voices', 'list_models']);
    const [speak] = tools;
    expect(speak?.inputSchema).toMatchObject({ type: 'object', required: ['input'], additionalProperties: false });
    expect(Object.keys(speak?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining(['input', 'voice', 'speed', 'instructions', 'path', 'output']),
    );
    expect(speak?.annotations).toMatchObject({ destructiveHint: false, openWorldHint: false });
    await using recognizing = await startServer({ recognize: async () => 'hello' });
    await using other = await connectAgent(recognizing.url);
    expect((await other.client.listTools()).tools.at(-1)?.name).toBe('transcribe_check');
    const checked = await other.call('transcribe_check', { audio: wav(), text: 'hello there' });
    expect(checked.structuredContent).toEqual({ transcript: 'hello', word_error_rate: 0.5 });
  });

  it('speaks, with progress', async () => {
    // A patch of half a second.
    await start({ backend: { stopAt: 4, info: { patchSamples: 8000 } } });
    const progress: unknown[] = [];
    const onprogress = (report: unknown): void => void progress.push(report);
    const spoken = await agent.call('speak', { input: 'hello', seed: 7, response_format: 'wav' }, { onprogress });
    expect(spoken.isError).toBeUndefined();
    expect(textOf(spoken)).toBe('2.5 s of speech in this result (seed 7).');
    expect(spoken.structuredContent).toMatchObject({ output: 'audio', seconds: 2.5, seed: 7, sample_rate: 16_000 });
    expect(decodeWav(audioOf(spoken)).samples).toHaveLength(5 * 8000);
    expect(progress).toEqual([
      { progress: 0.5, message: '0.5 s of speech' },
      { progress: 1.5, message: '1.5 s of speech' },
      { progress: 2.5, message: '2.5 s of speech' },
    ]);
    const same = await server.hear({ input: 'hello', seed: 7, response_format: 'wav' });
    expect(same.equals(audioOf(spoken))).toBe(true);
  });

  it('speaks dialogues, with warnings', async () => {
    await start();
    const input = [{ text: 'hello' }, { text: 'again', pause: 0.5 }];
    const spoken = await agent.call('speak', { input, instructions: 'calm', response_format: 'wav' });
    const warning = 'instructions need a VoxCPM 2 model; "fake" is an earlier one; they are ignored';
    expect(spoken.structuredContent).toMatchObject({ warnings: [warning] });
    expect(textOf(spoken)).toContain('\nWarning: instructions need');
  });

  it.each([
    [
      { input: 'hello', inputs: 1 },
      /^unknown field "inputs" in the arguments of speak; did you mean "input"\?$/,
      undefined,
    ],
    [{}, /^input is required$/, 'input'],
    [{ input: 'hello', speed: 9 }, /^speed must be a number from 0.25 to 4, got 9$/, 'speed'],
    [{ input: 'hello', voice: 'nobody' }, /^unknown voice "nobody" .*see list_voices\)/, 'voice'],
    [{ input: 'hello', path: 'a.wav' }, /path cannot be used over HTTP/, 'path'],
    [{ input: 'hello', output: 'file' }, /^path is required with the output "file"$/, 'path'],
    [{ input: 'hello', prompt_wav_path: '../a.wav' }, /not a file in the server's/, 'prompt_wav_path'],
    [{ input: ' ' }, /must be/, 'input'],
  ])('refuses %j', async (input, message, param) => {
    await start();
    const refused = await agent.call('speak', input);
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(message);
    expect(refused._meta?.['svc/error']).toMatchObject(param === undefined ? { code: 'bad_request' } : { param });
    expect(server.backend.calls).toEqual([]);
  });

  it('refuses unknown tools and resources', async () => {
    await start();
    const code = (promise: Promise<unknown>) => promise.then(undefined, (error: McpError) => error.code);
    expect(await code(agent.call('sing', {}))).toBe(ErrorCode.InvalidParams);
    for (const uri of ['svc://voices/nobody', 'svc://speech/1', 'svc://voices/default/audio']) {
      expect(await code(agent.client.readResource({ uri }))).toBe(ErrorCode.InvalidParams);
    }
  });

  it.each([
    ['tools/call', { name: 'speak', arguments: 'hello' }, 'params.arguments: expected object, received string'],
    ['tools/call', { name: 5 }, 'params.name: expected string, received number'],
    ['resources/read', { uri: [] }, 'params.uri: expected string, received array'],
  ])('refuses malformed messages in one line: %s %j', async (method, params, problem) => {
    await start();
    const { sessionId = '' } = agent.transport;
    const answer = await send({ jsonrpc: '2.0', id: 7, method, params }, { 'Mcp-Session-Id': sessionId });
    const [, data = ''] = /^data: (.*)$/m.exec(await answer.text()) ?? [];
    expect(JSON.parse(data).error.message).toBe(`invalid request: ${problem}`);
  });

  it('refuses arguments of a wrong type in one line', async () => {
    await start();
    const refused = await agent.call('speak', { input: 'a', speed: 'fast', voice: [] });
    expect([refused.isError, textOf(refused).split('\n').length]).toEqual([true, 1]);
  });

  it('stops a call that is canceled, and one whose client is gone', async () => {
    await start({ slots: 1 });
    const stops = [
      (controller: AbortController) => controller.abort(),
      // Its connection ends; the protocol has no other goodbye.
      () => agent.client.close(),
    ];
    for (const stop of stops) {
      const release = server.backend.hold();
      const controller = new AbortController();
      const failed = agent
        .call('speak', { input: 'hello' }, { signal: controller.signal })
        .then(undefined, () => 'failed');
      await eventually(() => server.queue.active === 1, 'it speaks');
      await stop(controller);
      expect(await failed).toBe('failed');
      release();
      await eventually(() => server.queue.active === 0, 'it has stopped');
      expect(server.backend.calls.filter(({ kind }) => kind === 'step').length).toBeLessThan(3);
      server.backend.calls.length = 0;
    }
  });

  it('clones a voice, tells the client, and has it as a resource', async () => {
    await start();
    const changed = new Promise((resolve) =>
      agent.client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve),
    );
    const cloned = await agent.call('clone_voice', { name: 'kim', audio: wav(), prompt_text: 'what kim says' });
    expect(cloned.structuredContent).toMatchObject({
      name: 'kim',
      roles: ['prompt'],
      transcript: 'what kim says',
      preset: false,
      quality: { duration_seconds: 0.01 },
    });
    await changed;
    const { voices } = (await agent.call('list_voices', {})).structuredContent as { voices: { name: string }[] };
    expect(voices.map(({ name }) => name)).toEqual(['default', 'kim', ...presets]);
    expect((await agent.call('speak', { input: 'hello', voice: 'kim' })).isError).toBeUndefined();
    const { resources } = await agent.client.listResources();
    const uris = ['svc://voices/kim', 'svc://voices/kim/audio'];
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(uris));
    const [record] = (await agent.client.readResource({ uri: 'svc://voices/kim' })).contents;
    expect(JSON.parse(String(record && 'text' in record && record.text))).toMatchObject({ name: 'kim' });
    const [recording] = (await agent.client.readResource({ uri: 'svc://voices/kim/audio' })).contents;
    const bytes = Buffer.from(String(recording && 'blob' in recording && recording.blob), 'base64');
    expect(decodeWav(bytes).samples).toHaveLength(160);
    const again = await agent.call('clone_voice', { name: 'kim', audio: wav(), prompt_text: 'x' });
    expect([again.isError, textOf(again)]).toEqual([true, expect.stringContaining('voice "kim"')]);
    const nothing = await agent.call('clone_voice', { name: 'ben2' });
    expect(textOf(nothing)).toBe('clone_voice needs either prompt_wav_path or audio');
    const found = await agent.client.complete({
      ref: { type: 'ref/resource', uri: 'svc://voices/{id}' },
      argument: { name: 'id', value: 'ki' },
    });
    expect(found.completion.values).toEqual(['kim']);
  });

  it('takes a recording that is larger than other bodies', async () => {
    await start({ limits: { bodyBytes: 20_000 }, backend: { stopAt: 4, info: { inputPatchSamples: 640 } } });
    const samples = Float32Array.from(randomBytes(40_000), (byte) => byte / 300);
    const noise = Buffer.from(encodeWav(samples, 16_000));
    const cloned = await agent.call('clone_voice', { name: 'kim', audio: noise.toString('base64'), prompt_text: 'a' });
    expect(cloned.isError).toBeUndefined();
  });

  it('returns a link to audio, also in place of long audio, which nobody else can read', async () => {
    await start({ settings: { keys: { anna: {}, ben: {} } } }, bearer('anna').headers);
    await using stranger = await connectAgent(server.url, bearer('ben').headers);
    const spoken = await agent.call('speak', { input: 'hello', output: 'link', response_format: 'wav' });
    const { uri } = spoken.structuredContent as { uri: string };
    expect(spoken.content.at(-1)).toMatchObject({ type: 'resource_link', uri, mimeType: 'audio/wav', size: 84 });
    const [heard] = (await agent.client.readResource({ uri })).contents;
    expect(decodeWav(Buffer.from(String(heard && 'blob' in heard && heard.blob), 'base64')).samples).toHaveLength(20);
    await expect(stranger.client.readResource({ uri })).rejects.toThrow('not kept any more');
  });

  it('requires a key, to which a session belongs', async () => {
    await start({ settings: { keys: { anna: {}, ben: {} } } }, bearer('anna').headers);
    await expectError(send(initialize), 401, { code: 'invalid_api_key' });
    const { sessionId = '' } = agent.transport;
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const as = (key: string) => ({ ...bearer(key).headers, 'Mcp-Session-Id': sessionId });
    expect((await send(ping, as('ben'))).status).toBe(404);
    expect((await send(ping, as('anna'))).status).toBe(200);
    expect((await send(ping, bearer('anna').headers)).status).toBe(400);
  });

  it('counts speech for the rate limit, but not lists', async () => {
    await start({ settings: { keys: { anna: { rateLimit: 1 } } } }, bearer('anna').headers);
    for (const name of ['list_voices', 'list_models']) expect((await agent.call(name, {})).isError).toBeUndefined();
    expect((await agent.call('speak', { input: 'hello' })).isError).toBeUndefined();
    const refused = await agent.call('speak', { input: 'hello' });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('limited to 1 requests')]);
  });

  it('refuses pages of other sites, and other host names', async () => {
    await start();
    expect((await send(initialize, { Origin: 'https://example.org' })).status).toBe(403);
    const headers = { ...mcpHeaders, Host: 'rebound.example.org', 'Content-Type': 'application/json' };
    const asked = { method: 'POST', headers, body: JSON.stringify(initialize) };
    expect((await rawRequest(`${server.url}/mcp`, asked)).status).toBe(403);
  });

  it('closes the session that has been idle longest when there are too many, and knows ended ones no more', async () => {
    await start({ limits: { sessions: 2 } });
    // The agent's own session has an open stream.
    const open = async (): Promise<string> => (await send(initialize)).headers.get('mcp-session-id') ?? '';
    const ping = async (id: string): Promise<number> =>
      (await send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'Mcp-Session-Id': id })).status;
    const first = await open();
    await eventually(async () => (await ping(first)) === 200, 'the first is there');
    const second = await open();
    expect([await ping(first), await ping(second), await agent.client.ping()]).toEqual([404, 200, expect.anything()]);
    const ended = await server.remove('/mcp', { headers: { 'Mcp-Session-Id': second } });
    expect([ended.status, await ping(second)]).toEqual([200, 404]);
  });

  it('ends with the server, after the running call', async () => {
    await start({ backend: { stopAt: 4, delayMilliseconds: 1 } });
    const spoken = agent.call('speak', { input: 'hello' });
    await eventually(() => server.queue.active === 1, 'it speaks');
    await server.close(10_000);
    expect((await spoken).isError).toBeUndefined();
  });
});
