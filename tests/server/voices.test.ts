import { execFileSync } from 'node:child_process';
import { mkdir, readFile, statfs, symlink, utimes, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { presets } from '../presets.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { errorOf, post, type StartOptions, startServer, type TestServer } from './start-server.ts';

let server: TestServer;
const start = async (options: StartOptions = {}): Promise<TestServer> => {
  server = await startServer(options);
  return server;
};

afterEach(() => server.close());

const wav = (seconds = 0.01): Uint8Array<ArrayBuffer> =>
  new Uint8Array(encodeWav(new Float32Array(16_000 * seconds).fill(0.1), 16_000));

const form = (fields: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.set(name, value);
    else data.set(name, new Blob([value]), 'recording.bin');
  }
  return data;
};
const send = (path: string, fields: Parameters<typeof form>[0]): Promise<Response> =>
  fetch(`${server.url}${path}`, { method: 'POST', body: form(fields) });
const json = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Record<string, unknown>;
const names = async (): Promise<unknown> => (await json(fetch(`${server.url}/voices`))).voices;

it('are refused while their disk is almost full', async () => {
  const { blocks, bsize } = await statfs(tmpdir());
  // More than is free of any disk, and no more than all of it.
  await start({ limits: { spareDiskBytes: blocks * bsize } });
  const refused = await send('/v1/voices', { id: 'anna', text: 'a', audio: wav() });
  const replaced = await send('/ref_feat', { feat_id: 'anna', prompt_text: 'a', prompt_audio: wav() });
  expect([refused.status, replaced.status]).toEqual([503, 503]);
  expect((await errorOf(refused)).message).toMatch(/^no voice can be added: less than \d+ MiB are free where voices/);
  expect(await names()).toEqual(presets);
});

describe('uploads', () => {
  const busy = async (): Promise<void> => {
    await start({ slots: 1, maxWaiting: 0, backend: { delayMilliseconds: 1 } });
    release = server.backend.hold();
    served = server.speak({ input: 'hello', response_format: 'pcm' });
    await eventually(() => server.backend.calls.length > 0, 'the slot is taken');
  };
  let release: () => void;
  let served: Promise<Response>;

  it.each([
    ['/tts', 503, () => send('/tts', { input: 'hello', prompt_audio: Uint8Array.of(1, 2, 3) })],
    [
      '/ref_feat',
      503,
      () => send('/ref_feat', { feat_id: 'a', prompt_text: 'a', prompt_audio: Uint8Array.of(1, 2, 3) }),
    ],
    ['/v1/voices', 503, () => send('/v1/voices', { id: 'a', text: 'a', audio: Uint8Array.of(1, 2, 3) })],
    ['a path', 429, () => server.speak({ input: 'hello', prompt_wav_path: 'voices.sqlite', prompt_text: 'a' })],
  ])('are not read when the queue is full: %s', async (_, status, upload) => {
    await busy();
    const refused = await upload();
    expect([refused.status, (await errorOf(refused)).code]).toEqual([status, 'queue_full']);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    release();
    expect((await (await served).arrayBuffer()).byteLength).toBeGreaterThan(0);
    await eventually(async () => (await json(fetch(`${server.url}/health`))).queue_active === 0, 'the slot is free');
    expect((await upload()).status).toBe(415);
  });

  /** Starts an upload and leaves it incomplete. */
  const begin = (path: string): Socket => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n`;
    socket.write(`${head}Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n`);
    return socket;
  };

  it('are limited to eight at once over all routes', async () => {
    await start();
    const sockets = Array.from({ length: 8 }, (_, index) => begin(index % 2 === 0 ? '/v1/voices' : '/tts'));
    const upload = async (): Promise<string> => {
      const response = await send('/tts', { input: 'hello', prompt_audio: Uint8Array.of(1, 2, 3) });
      return response.status === 503 ? (await errorOf(response)).message : String(response.status);
    };
    await eventually(async () => (await upload()).includes('too many uploads at once (the limit is 8)'), 'refused');
    for (const socket of sockets) socket.destroy();
    await eventually(async () => (await upload()) === '415', 'accepted again');
  });

  it('may be aborted, which is not logged as an error', async () => {
    await start();
    const socket = begin('/v1/voices');
    await new Promise((resolve) => socket.once('connect', resolve));
    await fetch(`${server.url}/healthz`);
    socket.destroy();
    await eventually(() => server.log.some((line) => line.includes('/v1/voices')), 'the request is logged');
    await eventually(() => server.log.some((line) => line.includes('the client disconnected')), 'the reason is logged');
    expect(server.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

describe('voices', () => {
  it('are added by upload, listed, shown, used and removed', async () => {
    await start();
    const added = await send('/v1/voices', { id: 'anna', text: 'what anna says', audio: wav() });
    expect(added.status).toBe(201);
    const { quality, warnings, ...record } = await json(added);
    expect(quality).toEqual({
      duration_seconds: 0.01,
      level_db: -20,
      noise_db: null,
      snr_db: null,
      silent: 0,
      clipped: 0,
    });
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
    expect(await json(fetch(`${server.url}/v1/voices/anna`))).toEqual(record);
    expect(await json(fetch(`${server.url}/v1/voices`))).toMatchObject({
      object: 'list',
      data: [{ id: 'anna' }, ...presets.map((id) => ({ id, preset: true }))],
    });
    expect(await json(fetch(`${server.url}/voices`))).toEqual({
      voices: ['anna', ...presets],
      count: 1 + presets.length,
      cache_directory: basename(server.folder),
      system_voices: presets,
      custom_voices: ['anna'],
    });
    const spoken = await server.speak({ input: 'hello', voice: 'anna', response_format: 'pcm' });
    expect(spoken.status).toBe(200);
    await spoken.arrayBuffer();
    expect(server.backend.prefixes[0]?.audioMask.filter((isAudio) => isAudio === 1)).toHaveLength(40);
    const removed = await fetch(`${server.url}/v1/voices/anna`, { method: 'DELETE' });
    expect([removed.status, await removed.json()]).toEqual([200, { id: 'anna', deleted: true, status: 'ok' }]);
    for (const method of ['GET', 'DELETE']) {
      const gone = await fetch(`${server.url}/v1/voices/anna`, { method });
      expect([gone.status, (await errorOf(gone)).code]).toEqual([404, 'voice_not_found']);
    }
  });

  it('have pronunciations, which a request overrides and which override those of the server', async () => {
    const lexicon = [
      { written: 'gif', spoken: 'server' },
      { written: 'sql', spoken: 'server' },
      { written: 'cli', spoken: 'server' },
    ];
    await start({ settings: { lexicon }, voiceFiles: (folder) => writeFile(join(folder, 'b.wav'), wav()) });
    const added = await send('/v1/voices', {
      id: 'anna',
      text: 'anna.',
      audio: wav(),
      lexicon: '# names\ngif = anna\nsql = anna',
    });
    expect([added.status, await json(added)]).toMatchObject([
      201,
      { lexicon_entries: 2, lexicon: { gif: 'anna', sql: 'anna' } },
    ]);
    const bert = { voice_name: 'bert', prompt_wav_path: 'b.wav', prompt_text: 'bert.', lexicon: { sql: 'bert' } };
    expect((await post(`${server.url}/v1/voices`, bert)).status).toBe(201);
    const fay = { feat_id: 'fay', prompt_text: 'fay.', prompt_audio: wav(), lexicon: 'gif = fay' };
    expect((await send('/ref_feat', fay)).status).toBe(200);
    const list = (await json(fetch(`${server.url}/v1/voices`))).data as readonly Record<string, unknown>[];
    expect(list.map((voice) => [voice.id, voice.lexicon_entries, voice.lexicon])).toEqual([
      ['anna', 2, undefined],
      ['bert', 1, undefined],
      ['fay', 1, undefined],
      ...presets.map((id) => [id, 0, undefined]),
    ]);
    const receive = async (body: object): Promise<readonly string[]> => {
      const before = server.backend.texts.length;
      const response = await server.speak({ input: 'gif sql cli', response_format: 'pcm', ...body });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      return server.backend.texts.slice(before);
    };
    expect(await receive({})).toEqual(['server server server']);
    expect(await receive({ prompt_wav_path: 'b.wav', prompt_text: 'b.' })).toEqual(['b.server server server']);
    expect(await receive({ voice: 'anna' })).toEqual(['anna.anna anna server']);
    expect(await receive({ voice: 'anna', lexicon: { gif: 'request' } })).toEqual(['anna.request anna server']);
    const script = { input: 'gif sql [voice:anna] gif sql [voice:bert] gif sql', input_format: 'script' };
    expect(await receive({ ...script, voice: 'fay' })).toEqual([
      'fay.fay server',
      'anna.anna anna',
      'bert.server bert',
    ]);
  });

  it('have a language, in which numbers are read unless the request states one', async () => {
    await start({ voiceFiles: (folder) => writeFile(join(folder, 'b.wav'), wav()), settings: { language: 'it' } });
    const anna = await send('/v1/voices', { id: 'anna', text: 'anna.', audio: wav(), language: 'de' });
    expect([anna.status, await json(anna)]).toMatchObject([201, { language: 'de' }]);
    const bert = { voice_name: 'bert', prompt_wav_path: 'b.wav', prompt_text: 'bert.', language: 'French' };
    expect((await post(`${server.url}/v1/voices`, bert)).status).toBe(201);
    const fay = { feat_id: 'fay', prompt_text: 'fay.', prompt_audio: wav(), language: 'es' };
    expect((await send('/ref_feat', fay)).status).toBe(200);
    const gus = await send('/v1/audio/voices', {
      name: 'gus',
      ref_text: 'gus.',
      audio_sample: wav(),
      language: 'auto',
    });
    expect(gus.status).toBe(200);
    const kim = await send('/v1/voices/add', { name: 'kim', text: 'kim.', files: wav(), labels: '{"language":"nl"}' });
    expect(kim.status).toBe(200);
    const { data } = await json(fetch(`${server.url}/v1/voices`));
    const list = data as readonly Record<string, unknown>[];
    expect(list.slice(0, 5).map(({ id, language }) => `${id} ${language}`)).toEqual([
      'anna de',
      'bert fr',
      'fay es',
      'gus null',
      'kim nl',
    ]);
    const wrong = await send('/v1/voices', { id: 'x', text: 'x.', audio: wav(), language: 'klingonisch' });
    expect([wrong.status, (await errorOf(wrong)).param]).toEqual([400, 'language']);

    const shown = async (body: object): Promise<readonly string[]> => {
      const { passages } = await json(post(`${server.url}/v1/audio/speech/text`, body));
      return (passages as readonly Record<string, string>[]).map(
        ({ spoken, language_by }) => `${spoken} ${language_by}`,
      );
    };
    expect(await shown({ input: '3', voice: 'anna' })).toEqual(['drei voice']);
    expect(await shown({ input: '3', voice: 'bert' })).toEqual(['trois voice']);
    expect(await shown({ input: '3', voice: 'anna', language: 'en' })).toEqual(['three stated']);
    expect(await shown({ input: '3' })).toEqual(['tre document']);
    expect(await shown({ input: '3 [voice:kim] 3', input_format: 'script', voice: 'fay' })).toEqual([
      'tres voice',
      'drie voice',
    ]);
    const before = server.backend.texts.length;
    await (await server.speak({ input: '3', voice: 'anna' })).arrayBuffer();
    expect(server.backend.texts.slice(before)).toEqual(['anna.drei']);
  });

  it.each([
    ['/v1/voices', { id: 'anna', text: 'anna.', audio: wav(), lexicon: 'gif' }],
    ['/ref_feat', { feat_id: 'anna', prompt_text: 'a', prompt_audio: wav(), lexicon: '<lexicon>' }],
  ])('are refused with wrong pronunciations: %s', async (path, fields) => {
    await start();
    const refused = await send(path, fields);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(await refused.json())).toContain('lexicon, line 1');
    expect(await server.store.list()).toEqual([]);
  });

  it('are stored before the answer is sent', async () => {
    await start();
    await send('/v1/voices', { id: 'anna', text: 'text', audio: wav() });
    expect((await server.store.get('anna'))?.text).toBe('text');
  });

  it('are not replaced', async () => {
    await start();
    await send('/v1/voices', { id: 'anna', text: 'first', audio: wav() });
    const second = await send('/v1/voices', { id: 'anna', text: 'second', audio: wav() });
    expect([second.status, await errorOf(second)]).toMatchObject([
      409,
      {
        code: 'voice_exists',
        param: 'id',
        message: 'voice "anna" already exists; choose another name, or remove that voice first',
      },
    ]);
    expect((await json(fetch(`${server.url}/v1/voices/anna`))).prompt_text).toBe('first');
  });

  it("of VoxCPM-ONNX's route are replaced", async () => {
    await start();
    for (const text of ['first', 'second']) {
      const stored = await send('/ref_feat', { feat_id: 'f1', prompt_text: text, prompt_audio: wav() });
      expect(await json(stored)).toEqual({ feat_id: 'f1', patches_shape: [40, 2, 3] });
    }
    expect((await json(fetch(`${server.url}/v1/voices/f1`))).prompt_text).toBe('second');
    const spoken = await fetch(`${server.url}/tts?input=hello&voice=f1&response_format=pcm`);
    expect([spoken.status, (await spoken.arrayBuffer()).byteLength]).toEqual([200, 40]);
  });

  it('are added from files on the server', async () => {
    await start({ voiceFiles: (folder) => writeFile(join(folder, 'b.wav'), wav()) });
    const added = await post(`${server.url}/v1/voices`, {
      voice_name: 'bert',
      prompt_wav_path: join(server.folder, 'b.wav'),
      prompt_text: 'text',
    });
    expect([added.status, (await json(added)).id]).toEqual([201, 'bert']);
    const spoken = await server.speak({ input: 'hello', prompt_wav_path: 'b.wav', prompt_text: 'text' });
    expect(spoken.status).toBe(200);
    await spoken.arrayBuffer();
    expect(server.backend.prefixes.at(-1)?.audioMask).toContain(1);
  });

  it("never shadow the model's own voice", async () => {
    await start();
    const refusals = [
      await send('/v1/voices', { id: 'default', text: 'text', audio: wav() }),
      await send('/ref_feat', { feat_id: 'default', prompt_text: 'text', prompt_audio: wav() }),
      await post(`${server.url}/v1/voices`, { voice_name: 'default', prompt_wav_path: 'a.wav', prompt_text: 'text' }),
    ];
    for (const refused of refusals) {
      expect([refused.status, (await errorOf(refused)).code]).toEqual([400, 'bad_request']);
    }
    expect(await json(fetch(`${server.url}/v1/voices/default`))).toMatchObject({ has_recording: false, roles: [] });
    expect((await fetch(`${server.url}/v1/voices/default/audio`)).status).toBe(404);
    const spoken = await server.speak({ input: 'hello', voice: 'default', response_format: 'wav' });
    expect(spoken.status).toBe(200);
    await spoken.arrayBuffer();
  });

  it('are not added from other files, and errors do not reveal which files exist', async () => {
    await using outside = await temporaryFolder();
    await writeFile(outside.join('a.wav'), wav());
    await start({
      voiceFiles: async (folder) => {
        await symlink(outside.join('a.wav'), join(folder, 'link.wav'));
        await symlink(outside.join('missing.wav'), join(folder, 'dangling.wav'));
        await symlink(outside.path, join(folder, 'out'));
        await mkdir(join(folder, 'inner'));
        await mkdir(join(folder, '.hidden'));
        await symlink('.hidden', join(folder, 'shown'));
        for (const name of ['.hidden/a.wav', '.a.wav', 'inner/a.wav', 'b.wav']) {
          await writeFile(join(folder, name), wav());
        }
        execFileSync('mkfifo', [join(folder, 'pipe.wav')]);
      },
    });
    const answer = async (path: string): Promise<string> => {
      const body = { voice_name: 'v', prompt_wav_path: path, prompt_text: 'text' };
      const refused = await post(`${server.url}/v1/voices`, body);
      return `${refused.status} ${await refused.text()}`;
    };
    const missing = await answer('x.wav');
    expect(missing).toMatch(/^403 .*prompt_wav_path is not a file in the server's folder of recordings/);
    const { folder } = server;
    const paths = [
      ...['/etc/passwd', '/etc/nothing', '/', '', '.', 'inner', `${folder}x/a.wav`, folder],
      ...['link.wav', 'dangling.wav', 'out/a.wav', 'out/missing.wav', outside.join('a.wav'), outside.join('no.wav')],
      ...[
        '.a.wav',
        '.hidden/a.wav',
        '.hidden/missing.wav',
        'shown/a.wav',
        join(folder, '.a.wav'),
        'pipe.wav',
        'b.wav\0',
        'B.WAV',
      ],
      ...[
        'inner/../../x',
        `../${basename(outside.path)}/a.wav`,
        `inner/../../${basename(outside.path)}/a.wav`,
        'b.wav/a.wav',
      ],
    ];
    for (const path of paths) expect([path, await answer(path)]).toEqual([path, missing]);
    for (const [index, path] of ['b.wav', 'inner/a.wav', 'inner/../b.wav', join(folder, 'b.wav')].entries()) {
      const body = { voice_name: `v${index}`, prompt_wav_path: path, prompt_text: 'text' };
      expect([path, (await post(`${server.url}/v1/voices`, body)).status]).toEqual([path, 201]);
    }
  });

  it('are named as in the request if they are not audio', async () => {
    await start({ voiceFiles: (folder) => writeFile(join(folder, 'notes.txt'), 'no audio') });
    const body = { voice_name: 'v', prompt_wav_path: 'notes.txt', prompt_text: 'text' };
    const refused = await post(`${server.url}/v1/voices`, body);
    expect(refused.status).toBe(415);
    const { message } = await errorOf(refused);
    expect(message).not.toContain(server.folder);
  });

  it('are not added from files without a configured folder', async () => {
    await start({
      settings: { recordingFolders: [] },
      voiceFiles: (folder) => writeFile(join(folder, 'b.wav'), wav()),
    });
    for (const path of ['b.wav', 'x.wav', join(server.folder, 'b.wav'), '/etc/passwd']) {
      const refused = await server.speak({ input: 'hello', prompt_wav_path: path, prompt_text: 'text' });
      expect([refused.status, (await errorOf(refused)).message]).toEqual([
        403,
        'prompt_wav_path is not available: the server was started without --voice-dir',
      ]);
    }
  });

  it.each([
    ['no name', { text: 't', audio: wav() }, 400, 'bad_request'],
    ['a path for a name', { id: '../x', text: 't', audio: wav() }, 400, 'bad_request'],
    ['no transcript', { id: 'a', audio: wav() }, 400, 'bad_request'],
    ['an empty transcript', { id: 'a', text: ' ', audio: wav() }, 400, 'bad_request'],
    ['no file', { id: 'a', text: 't' }, 400, 'bad_request'],
    ['another field', { id: 'a', text: 't', other: wav() }, 400, 'bad_request'],
    ['no audio', { id: 'a', text: 't', audio: new Uint8Array(500) }, 415, 'unsupported_audio'],
    ['a large file', { id: 'a', text: 't', audio: new Uint8Array(30_000) }, 413, 'payload_too_large'],
    ['a long recording', { id: 'a', text: 't', audio: wav(0.6) }, 413, 'payload_too_large'],
  ])('refuse %s', async (_, fields, status, code) => {
    await start({ limits: { uploadBytes: 25_000, recordingSeconds: 0.5 } });
    const refused = await send('/v1/voices', fields as Parameters<typeof form>[0]);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([status, code]);
    expect(await server.store.list()).toEqual([]);
    expect(server.backend.calls).toEqual([]);
  });

  it('refuse malformed forms', async () => {
    await start();
    const refused = await fetch(`${server.url}/v1/voices`, {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\nab',
    });
    expect([refused.status, (await errorOf(refused)).code]).toEqual([400, 'bad_request']);
    const noForm = await fetch(`${server.url}/ref_feat`, { method: 'POST', body: 'x' });
    expect(noForm.status).toBe(400);
  });

  it('included in the package can be used but not removed', async () => {
    await start({ backend: { info: { inputPatchSamples: 640 } } });
    const spoken = await server.speak({ input: 'hello', voice: 'alma', response_format: 'pcm' });
    expect(spoken.status).toBe(200);
    await spoken.arrayBuffer();
    expect(server.backend.prefixes[0]?.audioMask).toContain(1);
    const refused = await fetch(`${server.url}/v1/voices/alma`, { method: 'DELETE' });
    expect([refused.status, (await errorOf(refused)).code]).toEqual([403, 'forbidden']);
  });

  it("of the public API are the model's own voice, each with a fixed seed", async () => {
    await start();
    const seeds = await Promise.all(
      ['alloy', 'alloy', 'nova'].map(async (voice) => {
        const response = await server.speak({ input: 'hello', voice, response_format: 'pcm' });
        await response.arrayBuffer();
        return response.headers.get('x-seed');
      }),
    );
    expect(seeds[0]).toBe(seeds[1]);
    expect(seeds[0]).not.toBe(seeds[2]);
  });

  it('are encoded for another model on request', async () => {
    await start();
    await server.store.put(
      {
        id: 'old',
        text: 'text',
        roles: ['prompt'],
        recording: { samples: new Float32Array(160).fill(0.1), sampleRate: 16_000, channels: 1 },
        keepRecording: 'keep',
        encodings: [],
      },
      'create',
    );
    const encoded = await fetch(`${server.url}/v1/voices/old/encode`, { method: 'POST' });
    expect([encoded.status, (await json(encoded)).models]).toEqual([200, ['fake']]);
    expect((await server.store.get('old'))?.encodings).toHaveLength(1);
  });
});

describe('recordings in the folder', () => {
  it('become voices at the start, once and again after changes', async () => {
    const files = async (folder: string): Promise<void> => {
      await writeFile(join(folder, 'carl.wav'), wav());
      await writeFile(join(folder, 'carl.txt'), ' What Carl says. \n');
      await writeFile(join(folder, 'nobody.wav'), wav());
      await writeFile(join(folder, 'noise.wav'), 'no audio');
      await writeFile(join(folder, 'noise.txt'), 'text');
    };
    await start({ voiceFiles: files });
    expect(await names()).toEqual(['carl', ...presets]);
    expect((await json(fetch(`${server.url}/v1/voices/carl`))).prompt_text).toBe('What Carl says.');
    expect(server.log.join('')).toContain('voice not compiled');
    const bytes = await readFile(join(server.folder, 'voices.sqlite'));
    expect(bytes.length).toBeGreaterThan(0);
    const before = await server.store.get('carl');

    const again = async (change: (folder: string) => Promise<void>, signal = new AbortController().signal) => {
      const { compileFolder } = await import('../../src/server/recordings/voice-folder.ts');
      const { createVoiceCatalog } = await import('../../src/voices/voice-catalog.ts');
      const { createEngineFromBackend } = await import('../../src/engine/engine.ts');
      const { createFakeBackend } = await import('../engine/fake-backend.ts');
      const { pino } = await import('pino');
      const { defaultLimits } = await import('../../src/server/context/settings.ts');
      await change(server.folder);
      const engine = createEngineFromBackend(createFakeBackend(), { maxBatch: 1 });
      const context = {
        voices: createVoiceCatalog(engine, { store: server.store, presets: [] }),
        settings: { limits: { ...defaultLimits, shortestRecordingSeconds: 0 } } as Parameters<
          typeof compileFolder
        >[1]['settings'],
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
    const stopped = again(
      (folder) => utimes(join(folder, 'carl.txt'), evenLater, evenLater),
      AbortSignal.abort(reason),
    );
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('are skipped if hidden, or if the transcript is a link out of the folder, too long or not a file', async () => {
    await using outside = await temporaryFolder();
    await writeFile(outside.join('secret.txt'), 'a secret');
    await start({
      voiceFiles: async (folder) => {
        for (const name of ['link', 'long', 'pipe', '.hidden', 'good'])
          await writeFile(join(folder, `${name}.wav`), wav());
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
