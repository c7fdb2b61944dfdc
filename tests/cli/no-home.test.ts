/** A user whose home can't be written, such as the user of a service. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { probeVoices } from '../../src/cli/probe/probes/voices.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { freshFolder } from '../support/test-folder.ts';
import { type Circumstances, expectEnd, invoke, type Outcome } from './invoke.ts';

const recording = 'tests/fixtures/tiny-v1/prompt_a.wav';
const added = ['--audio', recording, '--text', 'What she says.'];
const way = 'name a writable folder with --voice-dir, or a file with SVC_SQLITE_PATH';

const folder = freshFolder();
let blocked: string;
let out: string;
beforeEach(() => {
  // Not even root can create a folder below a file.
  writeFileSync(folder.join('file'), '');
  blocked = folder.join('file', 'voices.sqlite');
  out = folder.join('out.wav');
});

const svc = (argv: readonly string[], circumstances: Circumstances = {}): Promise<Outcome> =>
  invoke(argv, {
    // Long enough for the recordings of voices.
    backend: { stopAt: 4, info: { contextLength: 100_000, outputSampleRate: 16_000, patchSamples: 1600 } },
    environment: { SVC_SQLITE_PATH: blocked },
    ...circumstances,
  });

const warning = `svc: warning: there are no stored voices, and none can be added: cannot open voice store `;

describe('a voice store that cannot be created', () => {
  it('is empty: the voices of svc speak, with one warning', async () => {
    const { code, stderr } = await svc(['tts', 'Hello.', '--voice', 'iris', '--output', out]);
    expect([code, stderr.split('\n').length - 1]).toEqual([0, 1]);
    expect(stderr).toBe(
      `${warning}${blocked}: cannot create folder ${folder.join('file')}: a file is in the way; ${way}\n`,
    );
    expect(readdirSync(folder.path).sort()).toEqual(['file', 'out.wav']);
  });

  it('gives no warning with --quiet, nor to commands without voices', async () => {
    const quiet = await svc(['tts', 'Hello.', '--voice', 'iris', '--quiet', '--output', out]);
    const voiceless = await svc(['tts', 'Hello.', '--output', out]);
    expect([quiet.code, quiet.stderr, voiceless.code, voiceless.stderr]).toEqual([0, '', 0, '']);
  });

  it('lists and shows the voices of svc', async () => {
    const list = await svc(['voices', 'list', '--json']);
    const { voices } = JSON.parse(list.stdout.toString()) as { readonly voices: readonly { readonly id: string }[] };
    expect([list.code, voices.some(({ id }) => id === 'iris')]).toEqual([0, true]);
    expect((await svc(['voices', 'show', 'iris'])).code).toBe(0);
    expect(await svc(['voices', 'remove', 'anna'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('svc: error: unknown voice "anna" (available: '),
    });
  });

  it('speaks batches and scripts', async () => {
    writeFileSync(folder.join('lines.jsonl'), '{"text": "One.", "voice": "iris"}\n{"text": "Anna: Two."}\n');
    const settings = ['--voices', 'Anna=bruno', '--output-dir', folder.join('spoken')];
    const { code, stderr } = await svc(['batch', '--input', folder.join('lines.jsonl'), ...settings]);
    expect([code, stderr.split(warning).length - 1, stderr]).toEqual([0, 1, expect.not.stringContaining('error')]);
  });

  it('refuses only new voices, before the model is loaded', async () => {
    const { code, stderr, opened } = await svc(['voices', 'add', 'anna', ...added]);
    expect([code, opened]).toEqual([1, []]);
    expect(stderr).toBe(
      `svc: error: cannot open voice store ${blocked}: cannot create folder ${folder.join('file')}: a file is in the way; ${way}\n`,
    );
  });

  it('may be in a folder of recordings, which speak', async () => {
    // A file system in which nothing can be created.
    const { code, stderr } = await svc(['tts', 'Hello.', '--voice', 'iris', '--voice-dir', '/proc', '--output', out], {
      environment: {},
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${warning}/proc/voices.sqlite: `)]);
  });
});

describe('a voice store that is there', () => {
  it('is still an error when it cannot be read', async () => {
    const path = folder.join('voices.sqlite');
    await (await openSqliteVoiceStore(path)).close();
    rmSync(path);
    mkdirSync(path);
    expectEnd(
      await svc(['tts', 'Hello.', '--voice', 'iris', '--output', out], { environment: { SVC_SQLITE_PATH: path } }),
      1,
      `svc: error: cannot open voice store ${path}: it is a folder\n`,
    );
  });
});

describe('svc doctor', () => {
  it('reports that no voices can be added, and how they could', async () => {
    expect(await probeVoices(blocked)).toMatchObject([
      {
        name: 'voices',
        status: 'missing',
        summary: `none, and ${blocked} can't be created`,
        remedy: 'to add voices, set SVC_VOICE_DIR to a writable folder, or SVC_SQLITE_PATH to a file',
      },
    ]);
    const later = folder.join('later', 'voices.sqlite');
    expect(await probeVoices(later)).toMatchObject([{ status: 'ok', summary: `none yet; will be in ${later}` }]);
  });
});
