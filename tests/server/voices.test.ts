import { execFileSync } from 'node:child_process';
import { mkdir, readFile, statfs, symlink, utimes, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createEngineFromBackend } from '../../src/engine/engine.ts';
import { defaultLimits, type ServerSettings } from '../../src/server/context/settings.ts';
import { compileFolder } from '../../src/server/recordings/voice-folder.ts';
import { createVoiceCatalog } from '../../src/voices/voice-catalog.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { presets } from '../presets.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { rawSockets } from './raw-sockets.ts';
import { errorOf, type FormFields, read, statusAndJson, wavOf } from './start-server.ts';
import { expectError, freshServer, sharedServer } from './test-server.ts';

const server = freshServer();
const limited = sharedServer({ limits: { uploadBytes: 25_000, recordingSeconds: 0.5 } });
const open = rawSockets();
/** A recording in the folder of the server, as `b.wav`. */
const withFile = { voiceFiles: (folder: string) => writeFile(join(folder, 'b.wav'), wavOf()) };
const nothing = Uint8Array.of(1, 2, 3);
const names = async (): Promise<unknown> => (await server.json('/voices')).voices;

it('are refused while their disk is almost full', async () => {
  const { blocks, bsize } = await statfs(tmpdir());
  // More than is free of any disk, and no more than all of it.
  await server.start({ limits: { spareDiskBytes: blocks * bsize } });
  const refused = server.send('/v1/voices', { id: 'anna', text: 'a', audio: wavOf() });
  await expectError(refused, 503, /^no voice can be added: less than \d+ MiB are free where voices/);
  const replaced = await server.send('/ref_feat', { feat_id: 'anna', prompt_text: 'a', prompt_audio: wavOf() });
  expect(replaced.status).toBe(503);
  expect(await names()).toEqual(presets);
});

describe('uploads', () => {
  it.each([
    ['/tts', 503, () => server.send('/tts', { input: 'hello', prompt_audio: nothing })],
    ['/ref_feat', 503, () => server.send('/ref_feat', { feat_id: 'a', prompt_text: 'a', prompt_audio: nothing })],
    ['/v1/voices', 503, () => server.send('/v1/voices', { id: 'a', text: 'a', audio: nothing })],
    ['a path', 429, () => server.speak({ input: 'hello', prompt_wav_path: 'voices.sqlite', prompt_text: 'a' })],
  ])('are not read when the queue is full: %s', async (_, status, upload) => {
    await server.start({ slots: 1, maxWaiting: 0 });
    const { end } = await server.occupy();
    const refused = await upload();
    await expectError(refused, status, { code: 'queue_full' });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect((await end()).length).toBeGreaterThan(0);
    await eventually(async () => (await server.json('/health')).queue_active === 0, 'the slot is free');
    expect((await upload()).status).toBe(415);
  });

  /** Starts an upload and leaves it incomplete. */
  const begin = async (path: string): Promise<Socket> => {
    const { port } = await server.started();
    const socket = await open(port);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n`;
    socket.write(`${head}Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n`);
    return socket;
  };

  it('are limited to eight at once over all routes', async () => {
    const paths = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? '/v1/voices' : '/tts'));
    const sockets = await Promise.all(paths.map(begin));
    const upload = async (): Promise<string> => {
      const response = await server.send('/tts', { input: 'hello', prompt_audio: nothing });
      return response.status === 503 ? (await errorOf(response)).message : String(response.status);
    };
    await eventually(async () => (await upload()).includes('too many uploads at once (the limit is 8)'), 'refused');
    for (const socket of sockets) socket.destroy();
    await eventually(async () => (await upload()) === '415', 'accepted again');
  });

  it('may be aborted, which is not logged as an error', async () => {
    const socket = await begin('/v1/voices');
    await server.fetch('/healthz');
    socket.destroy();
    await eventually(() => server.logged('/v1/voices').length > 0, 'the request is logged');
    await eventually(() => server.logged('the client disconnected').length > 0, 'the reason is logged');
    expect(server.logged('"level":50')).toEqual([]);
  });
});

describe('voices', () => {
  it('are added by upload, listed, shown, used and removed', async () => {
    const added = await server.send('/v1/voices', { id: 'anna', text: 'what anna says', audio: wavOf() });
    expect(added.status).toBe(201);
    const { quality, warnings, ...record } = (await added.json()) as Readonly<Record<string, unknown>>;
    const levels = { level_db: -20, noise_db: null, snr_db: null, silent: 0, clipped: 0 };
    expect(quality).toEqual({ duration_seconds: 0.01, ...levels });
    expect(warnings).toEqual(['the prompt audio is only 0.01 seconds long; 3 to 30 seconds sound best']);
    expect(added.headers.get('warning')).toContain('is only 0.01 seconds long');
    expect(record).toMatchObject({
      id: 'anna',
      prompt_text: 'what anna says',
      prompt_audio_length: 40,
      sample_rate: 16_000,
      patch_size: 2,
      feat_dim: 3,
      roles: ['prompt'],
      preset: false,
    });
    expect(String(record.created_at)).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(await server.json('/v1/voices/anna')).toEqual(record);
    expect(await server.json('/v1/voices')).toMatchObject({
      object: 'list',
      data: [{ id: 'anna' }, ...presets.map((id) => ({ id, preset: true }))],
    });
    expect(await server.json('/voices')).toEqual({
      voices: ['anna', ...presets],
      count: 1 + presets.length,
      cache_directory: basename(server.folder),
      system_voices: presets,
      custom_voices: ['anna'],
    });
    await server.hear({ input: 'hello', voice: 'anna', response_format: 'pcm' });
    expect(server.backend.audio).toEqual([40]);
    const removed = await statusAndJson(server.remove('/v1/voices/anna'));
    expect(removed).toEqual([200, { id: 'anna', deleted: true, status: 'ok' }]);
    for (const method of ['GET', 'DELETE']) {
      await expectError(server.fetch('/v1/voices/anna', { method }), 404, { code: 'voice_not_found' });
    }
  });

  it('have pronunciations, which a request overrides and which override those of the server', async () => {
    const lexicon = ['gif', 'sql', 'cli'].map((written) => ({ written, spoken: 'server' }));
    await server.start({ settings: { lexicon }, ...withFile });
    const anna = { id: 'anna', text: 'anna.', audio: wavOf(), lexicon: '# names\ngif = anna\nsql = anna' };
    expect(await statusAndJson(server.send('/v1/voices', anna))).toMatchObject([
      201,
      { lexicon_entries: 2, lexicon: { gif: 'anna', sql: 'anna' } },
    ]);
    const bert = { voice_name: 'bert', prompt_wav_path: 'b.wav', prompt_text: 'bert.', lexicon: { sql: 'bert' } };
    expect((await server.post('/v1/voices', bert)).status).toBe(201);
    const fay = { feat_id: 'fay', prompt_text: 'fay.', prompt_audio: wavOf(), lexicon: 'gif = fay' };
    expect((await server.send('/ref_feat', fay)).status).toBe(200);
    const list = (await server.json('/v1/voices')).data as readonly Record<string, unknown>[];
    expect(list.map((voice) => [voice.id, voice.lexicon_entries, voice.lexicon])).toEqual([
      ['anna', 2, undefined],
      ['bert', 1, undefined],
      ['fay', 1, undefined],
      ...presets.map((id) => [id, 0, undefined]),
    ]);
    const receive = async (body: object): Promise<readonly string[]> => {
      const before = server.backend.texts.length;
      await server.hear({ input: 'gif sql cli', response_format: 'pcm', ...body });
      return server.backend.texts.slice(before);
    };
    expect(await receive({})).toEqual(['server server server']);
    expect(await receive({ prompt_wav_path: 'b.wav', prompt_text: 'b.' })).toEqual(['b.server server server']);
    expect(await receive({ voice: 'anna' })).toEqual(['anna.anna anna server']);
    expect(await receive({ voice: 'anna', lexicon: { gif: 'request' } })).toEqual(['anna.request anna server']);
    const script = { input: 'gif sql [voice:anna] gif sql [voice:bert] gif sql', input_format: 'script' };
    const spoken = ['fay.fay server', 'anna.anna anna', 'bert.server bert'];
    expect(await receive({ ...script, voice: 'fay' })).toEqual(spoken);
  });

  it('have a language, in which numbers are read unless the request states one', async () => {
    await server.start({ settings: { language: 'it' }, ...withFile });
    const anna = { id: 'anna', text: 'anna.', audio: wavOf(), language: 'de' };
    expect(await statusAndJson(server.send('/v1/voices', anna))).toMatchObject([201, { language: 'de' }]);
    const bert = { voice_name: 'bert', prompt_wav_path: 'b.wav', prompt_text: 'bert.', language: 'French' };
    expect((await server.post('/v1/voices', bert)).status).toBe(201);
    const fay = { feat_id: 'fay', prompt_text: 'fay.', prompt_audio: wavOf(), language: 'es' };
    expect((await server.send('/ref_feat', fay)).status).toBe(200);
    const gus = { name: 'gus', ref_text: 'gus.', audio_sample: wavOf(), language: 'auto' };
    expect((await server.send('/v1/audio/voices', gus)).status).toBe(200);
    const kim = { name: 'kim', text: 'kim.', files: wavOf(), labels: '{"language":"nl"}' };
    expect((await server.send('/v1/voices/add', kim)).status).toBe(200);
    const { data } = await server.json('/v1/voices');
    const list = data as readonly Record<string, unknown>[];
    const languages = list.slice(0, 5).map(({ id, language }) => `${id} ${language}`);
    expect(languages).toEqual(['anna de', 'bert fr', 'fay es', 'gus null', 'kim nl']);
    const wrong = { id: 'x', text: 'x.', audio: wavOf(), language: 'klingonisch' };
    await expectError(server.send('/v1/voices', wrong), 400, { param: 'language' });

    const shown = async (body: object): Promise<readonly string[]> => {
      const answer = server.post('/v1/audio/speech/text', body);
      const [, { passages }] = await statusAndJson<{ passages: Record<string, string>[] }>(answer);
      return passages.map(({ spoken, language_by }) => `${spoken} ${language_by}`);
    };
    expect(await shown({ input: '3', voice: 'anna' })).toEqual(['drei voice']);
    expect(await shown({ input: '3', voice: 'bert' })).toEqual(['trois voice']);
    expect(await shown({ input: '3', voice: 'anna', language: 'en' })).toEqual(['three stated']);
    expect(await shown({ input: '3' })).toEqual(['tre document']);
    const script = { input: '3 [voice:kim] 3', input_format: 'script', voice: 'fay' };
    expect(await shown(script)).toEqual(['tres voice', 'drie voice']);
    const before = server.backend.texts.length;
    await server.hear({ input: '3', voice: 'anna' });
    expect(server.backend.texts.slice(before)).toEqual(['anna.drei']);
  });

  it.each([
    ['/v1/voices', { id: 'anna', text: 'anna.', audio: wavOf(), lexicon: 'gif' }],
    ['/ref_feat', { feat_id: 'anna', prompt_text: 'a', prompt_audio: wavOf(), lexicon: '<lexicon>' }],
  ])('are refused with wrong pronunciations: %s', async (path, fields) => {
    await expectError(server.send(path, fields), 400, /lexicon, line 1/);
    expect(await server.store.list()).toEqual([]);
  });

  it('are not replaced', async () => {
    await server.send('/v1/voices', { id: 'anna', text: 'first', audio: wavOf() });
    // Stored before the answer is sent.
    expect((await server.store.get('anna'))?.text).toBe('first');
    const second = server.send('/v1/voices', { id: 'anna', text: 'second', audio: wavOf() });
    const message = 'voice "anna" already exists; choose another name, or remove that voice first';
    await expectError(second, 409, { code: 'voice_exists', param: 'id', message });
    expect((await server.json('/v1/voices/anna')).prompt_text).toBe('first');
  });

  it("of VoxCPM-ONNX's route are replaced", async () => {
    for (const text of ['first', 'second']) {
      const stored = await server.send('/ref_feat', { feat_id: 'f1', prompt_text: text, prompt_audio: wavOf() });
      expect(await stored.json()).toEqual({ feat_id: 'f1', patches_shape: [40, 2, 3] });
    }
    expect((await server.json('/v1/voices/f1')).prompt_text).toBe('second');
    const spoken = await server.fetch('/tts?input=hello&voice=f1&response_format=pcm');
    expect([spoken.status, (await spoken.arrayBuffer()).byteLength]).toEqual([200, 40]);
  });

  it('are added from files on the server', async () => {
    await server.start(withFile);
    const prompt = { prompt_wav_path: join(server.folder, 'b.wav'), prompt_text: 'text' };
    const added = server.post('/v1/voices', { voice_name: 'bert', ...prompt });
    expect(await statusAndJson(added)).toMatchObject([201, { id: 'bert' }]);
    await server.hear({ input: 'hello', prompt_wav_path: 'b.wav', prompt_text: 'text' });
    expect(server.backend.audio.at(-1)).toBeGreaterThan(0);
  });

  it("never shadow the model's own voice", async () => {
    const refusals = [
      await server.send('/v1/voices', { id: 'default', text: 'text', audio: wavOf() }),
      await server.send('/ref_feat', { feat_id: 'default', prompt_text: 'text', prompt_audio: wavOf() }),
      await server.post('/v1/voices', { voice_name: 'default', prompt_wav_path: 'a.wav', prompt_text: 'text' }),
    ];
    for (const refused of refusals) await expectError(refused, 400, { code: 'bad_request' });
    expect(await server.json('/v1/voices/default')).toMatchObject({ has_recording: false, roles: [] });
    expect((await server.fetch('/v1/voices/default/audio')).status).toBe(404);
    await server.hear({ input: 'hello', voice: 'default', response_format: 'wav' });
  });

  it('are not added from other files, and errors do not reveal which files exist', async () => {
    await using outside = await temporaryFolder();
    await writeFile(outside.join('a.wav'), wavOf());
    await server.start({
      voiceFiles: async (folder) => {
        await symlink(outside.join('a.wav'), join(folder, 'link.wav'));
        await symlink(outside.join('missing.wav'), join(folder, 'dangling.wav'));
        await symlink(outside.path, join(folder, 'out'));
        await mkdir(join(folder, 'inner'));
        await mkdir(join(folder, '.hidden'));
        await symlink('.hidden', join(folder, 'shown'));
        for (const name of ['.hidden/a.wav', '.a.wav', 'inner/a.wav', 'b.wav']) {
          await writeFile(join(folder, name), wavOf());
        }
        execFileSync('mkfifo', [join(folder, 'pipe.wav')]);
      },
    });
    const answer = async (path: string): Promise<string> => {
      const refused = server.post('/v1/voices', { voice_name: 'v', prompt_wav_path: path, prompt_text: 'text' });
      const [status, body] = await statusAndJson(refused);
      return `${status} ${JSON.stringify(body)}`;
    };
    const missing = await answer('x.wav');
    expect(missing).toMatch(/^403 .*prompt_wav_path is not a file in the server's folder of recordings/);
    const { folder } = server;
    const paths = [
      ...['/etc/passwd', '/etc/nothing', '/', '', '.', 'inner', `${folder}x/a.wav`, folder],
      ...['link.wav', 'dangling.wav', 'out/a.wav', 'out/missing.wav', outside.join('a.wav'), outside.join('no.wav')],
      ...['.a.wav', '.hidden/a.wav', '.hidden/missing.wav', 'shown/a.wav', join(folder, '.a.wav')],
      ...['pipe.wav', 'b.wav\0', 'B.WAV', 'inner/../../x', 'b.wav/a.wav'],
      ...['..', 'inner/../..'].map((up) => `${up}/${basename(outside.path)}/a.wav`),
    ];
    for (const path of paths) expect([path, await answer(path)]).toEqual([path, missing]);
    for (const [index, path] of ['b.wav', 'inner/a.wav', 'inner/../b.wav', join(folder, 'b.wav')].entries()) {
      const body = { voice_name: `v${index}`, prompt_wav_path: path, prompt_text: 'text' };
      expect([path, (await server.post('/v1/voices', body)).status]).toEqual([path, 201]);
    }
  });

  it('are named as in the request if they are not audio', async () => {
    await server.start({ voiceFiles: (folder) => writeFile(join(folder, 'notes.txt'), 'no audio') });
    const body = { voice_name: 'v', prompt_wav_path: 'notes.txt', prompt_text: 'text' };
    const message = expect.not.stringContaining(server.folder);
    await expectError(server.post('/v1/voices', body), 415, { message });
  });

  it('are not added from files without a configured folder', async () => {
    await server.start({ settings: { recordingFolders: [] }, ...withFile });
    for (const path of ['b.wav', 'x.wav', join(server.folder, 'b.wav'), '/etc/passwd']) {
      const refused = await server.speak({ input: 'hello', prompt_wav_path: path, prompt_text: 'text' });
      await expectError(refused, 403, 'prompt_wav_path is not available: the server was started without --voice-dir');
    }
  });

  it.each([
    ['no name', { text: 't', audio: wavOf() }, 400, 'bad_request'],
    ['a path for a name', { id: '../x', text: 't', audio: wavOf() }, 400, 'bad_request'],
    ['no transcript', { id: 'a', audio: wavOf() }, 400, 'bad_request'],
    ['an empty transcript', { id: 'a', text: ' ', audio: wavOf() }, 400, 'bad_request'],
    ['no file', { id: 'a', text: 't' }, 400, 'bad_request'],
    ['another field', { id: 'a', text: 't', other: wavOf() }, 400, 'bad_request'],
    ['no audio', { id: 'a', text: 't', audio: new Uint8Array(500) }, 415, 'unsupported_audio'],
    ['a large file', { id: 'a', text: 't', audio: new Uint8Array(30_000) }, 413, 'payload_too_large'],
    ['a long recording', { id: 'a', text: 't', audio: wavOf(0.6) }, 413, 'payload_too_large'],
  ])('refuse %s', async (_, fields, status, code) => {
    await expectError(limited.send('/v1/voices', fields as FormFields), status, { code });
    expect(await limited.store.list()).toEqual([]);
    expect(limited.backend.calls).toEqual([]);
  });

  it('refuse malformed forms', async () => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const body = '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\nab';
    const refused = server.fetch('/v1/voices', { method: 'POST', headers, body });
    await expectError(refused, 400, { code: 'bad_request' });
    const noForm = await server.fetch('/ref_feat', { method: 'POST', body: 'x' });
    expect(noForm.status).toBe(400);
  });

  it('included in the package can be used but not removed', async () => {
    await server.start({ backend: { info: { inputPatchSamples: 640 } } });
    await server.hear({ input: 'hello', voice: 'alma', response_format: 'pcm' });
    expect(server.backend.audio[0]).toBeGreaterThan(0);
    await expectError(server.remove('/v1/voices/alma'), 403, { code: 'forbidden' });
  });

  it("of the public API are the model's own voice, each with a fixed seed", async () => {
    const seeds = await Promise.all(
      ['alloy', 'alloy', 'nova'].map(async (voice) => {
        return (await read(server.speak({ input: 'hello', voice, response_format: 'pcm' }))).headers.get('x-seed');
      }),
    );
    expect(seeds[0]).toBe(seeds[1]);
    expect(seeds[0]).not.toBe(seeds[2]);
  });

  it('are encoded for another model on request', async () => {
    await server.start();
    const recording = { samples: new Float32Array(160).fill(0.1), sampleRate: 16_000, channels: 1 };
    const old = { id: 'old', text: 'text', roles: ['prompt' as const], recording, encodings: [] };
    await server.store.put({ ...old, keepRecording: 'keep' }, 'create');
    const encoded = server.fetch('/v1/voices/old/encode', { method: 'POST' });
    expect(await statusAndJson(encoded)).toMatchObject([200, { models: ['fake'] }]);
    expect((await server.store.get('old'))?.encodings).toHaveLength(1);
  });
});

describe('recordings in the folder', () => {
  it('become voices at the start, once and again after changes', async () => {
    const files = async (folder: string): Promise<void> => {
      await writeFile(join(folder, 'carl.wav'), wavOf());
      await writeFile(join(folder, 'carl.txt'), ' What Carl says. \n');
      await writeFile(join(folder, 'nobody.wav'), wavOf());
      await writeFile(join(folder, 'noise.wav'), 'no audio');
      await writeFile(join(folder, 'noise.txt'), 'text');
    };
    await server.start({ voiceFiles: files });
    expect(await names()).toEqual(['carl', ...presets]);
    expect((await server.json('/v1/voices/carl')).prompt_text).toBe('What Carl says.');
    expect(server.log.join('')).toContain('voice not compiled');
    expect((await readFile(join(server.folder, 'voices.sqlite'))).length).toBeGreaterThan(0);
    const before = await server.store.get('carl');

    const again = async (change: (folder: string) => Promise<void>, signal = new AbortController().signal) => {
      await change(server.folder);
      const engine = createEngineFromBackend(createFakeBackend(), { maxBatch: 1 });
      const context = {
        voices: createVoiceCatalog(engine, { store: server.store, presets: [] }),
        settings: { limits: { ...defaultLimits, shortestRecordingSeconds: 0 } } as ServerSettings,
        logger: pino({ level: 'silent' }),
      };
      return compileFolder(server.folder, context, signal);
    };
    expect(await again(async () => undefined)).toEqual([]);
    expect((await server.store.get('carl'))?.revision).toBe(before?.revision);
    const later = new Date(Date.now() + 5_000);
    expect(await again((folder) => utimes(join(folder, 'carl.txt'), later, later))).toEqual(['carl']);
    // Cancellation is no failure of a single recording.
    const reason = new Error('shutting down');
    const evenLater = new Date(Date.now() + 10_000);
    const change = (folder: string) => utimes(join(folder, 'carl.txt'), evenLater, evenLater);
    const stopped = again(change, AbortSignal.abort(reason));
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('are skipped if hidden, or if the transcript is a link out of the folder, too long or not a file', async () => {
    await using outside = await temporaryFolder();
    await writeFile(outside.join('secret.txt'), 'a secret');
    await server.start({
      voiceFiles: async (folder) => {
        for (const name of ['link', 'long', 'pipe', '.hidden', 'good'])
          await writeFile(join(folder, `${name}.wav`), wavOf());
        await symlink(outside.join('secret.txt'), join(folder, 'link.txt'));
        await writeFile(join(folder, 'long.txt'), 'a'.repeat(65_537));
        execFileSync('mkfifo', [join(folder, 'pipe.txt')]);
        await writeFile(join(folder, '.hidden.txt'), 'text');
        await writeFile(join(folder, 'good.txt'), 'text');
      },
    });
    expect((await server.store.list()).map(({ id }) => id)).toEqual(['good']);
  });
});
