import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { encodeWav } from '../../src/audio/encode/wav-encode.ts';
import { voiceStorePath } from '../../src/cli/options/voice-choice.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { presets } from '../presets.ts';
import { freshFolder } from '../support/test-folder.ts';
import { ended, expectEnd, expectEndWith, invokeIn, jsonOf, type Outcome } from './invoke.ts';

const folder = freshFolder();
let out: string;

beforeEach(() => {
  out = folder.join('out.wav');
});

const wav = 'tests/fixtures/tiny-v1/prompt_a.wav';
const roomy = { contextLength: 100_000 };
const model2 = { stopAt: 4, info: { ...roomy, name: 'fake 2', architecture: 'voxcpm2' } } as const;

const svc = invokeIn(folder);

const add = (name: string, ...more: string[]): string[] => ['voices', 'add', name, '--audio', wav, ...more];
const spoken = ['--text', 'What she says.'];
const speak = (...more: string[]): string[] => ['tts', '--text', 'hello', '--output', out, ...more];

/** Quality of the recording. */
const quality = 'svc: recording: 1.0 s, speech -16 dB, noise -47 dB (31 dB below)\n';

describe('svc voices', () => {
  it('adds, lists, shows and removes', async () => {
    const added = await svc(add('anna', ...spoken));
    expect([added.code, added.stdout.toString(), added.stderr]).toEqual([
      0,
      '',
      `svc: added voice anna: prompt, 1.0 s, fake\n${quality}`,
    ]);
    expect(added.opened).toEqual([{ maxBatch: 1 }]);
    expect(added.backend.disposed()).toBe(true);

    const list = await svc('voices list');
    expect(list.stdout.toString()).toMatch(
      /^NAME +USE +LENGTH +SOURCE +MODELS\nanna +prompt +1\.0 s +stored +fake\nalma +prompt +3\.8 s +svc +-\n/,
    );
    expect(list.opened).toEqual([]);
    const show = (await svc('voices show anna')).stdout.toString();
    expect(show).toContain('text       What she says.\nrecording  1.0 s at 16000 Hz\n');
    expect(show).toMatch(/added {6}\d{4}-\d\d-\d\dT[^\n]+Z\nchanged/);
    expect(show).toMatch(/prompt {5}\d+ patches of 2 × 3 for fake\n$/);

    expect(await svc('voices remove anna')).toMatchObject({ code: 0, stderr: 'svc: removed voice anna\n' });
    expect((await svc('voices list')).stdout.toString()).not.toContain('anna');
  });

  it('prints JSON', async () => {
    const record = {
      id: 'anna',
      text: 'What she says.',
      roles: ['prompt'],
      recording: { sampleRate: 16_000, sampleCount: expect.any(Number), kept: true },
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      preset: false,
      encodings: [
        {
          ...{ role: 'prompt', model: 'fake', sampleRate: 16_000 },
          ...{ patchCount: expect.any(Number), patchSize: 2, featureDim: 3 },
        },
      ],
    };
    const added = await svc(add('anna', ...spoken, '--json'));
    const { quality, ...rest } = jsonOf(added);
    expect([rest, added.stderr]).toEqual([record, '']);
    expect(quality).toEqual({ seconds: 1.001, levelDb: -16.1, noiseDb: -46.8, snrDb: 30.7, silent: 0, clipped: 0 });
    expect(jsonOf(await svc('voices show anna --json'))).toEqual(record);
    const list = await svc('voices list --json');
    const known = presets.map((id) => ({ id, preset: true, encodings: [] }));
    expect(jsonOf(list)).toMatchObject({ voices: [record, ...known] });
    expect(list.stdout.toString()).toMatch(/^[^\n]+\n$/);
  });

  it('lets a voice of the same name precede one that comes with svc', async () => {
    const preset = (await svc('voices show iris')).stdout.toString();
    expect(preset).toMatch(/\nsource {5}svc\n$/);
    const { stderr } = await svc(add('iris', ...spoken));
    expect(stderr).toContain('svc: it takes precedence over the voice iris that comes with svc\n');
    expect((await svc('voices show iris')).stdout.toString()).toContain('What she says.');
    expect((await svc(speak('--voice', 'bob'))).stderr).toContain('(available: default, iris, alma, bruno, ');
    await svc('voices remove iris');
    expect((await svc('voices show iris')).stdout.toString()).toBe(preset);
  });

  it('stores the language of a voice', async () => {
    const added = await svc(add('anna', ...spoken, '--language', 'de', '--json'));
    expect([added.code, jsonOf(added)]).toMatchObject([0, { id: 'anna', language: 'de' }]);
    expect((await svc('voices show anna')).stdout.toString()).toContain('\nlanguage   de\n');
    const say = async (...options: string[]): Promise<string> =>
      (await svc(['tts', '3', '--output', out, '--voice', 'anna', ...options])).backend.texts.join('|');
    expect(await say()).toBe('What she says.drei');
    expect(await say('--language', 'fr')).toBe('What she says.trois');
    expect((await svc(['tts', '3', '--voice', 'anna', '--show-spoken'])).stdout.toString()).toContain(
      '1  de, that of the voice\n   written      3\n   spoken       drei\n',
    );
    const outcome = await svc(add('ben', ...spoken, '--language', 'klingonisch'));
    expectEndWith(outcome, 2, '--language must be a language tag');
  });

  it('stores pronunciations of a voice', async () => {
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(folder.join(name), text);
      return folder.join(name);
    };
    const one = await file('one.txt', 'gif = jif\nsql = sequel');
    const two = await file(
      'two.pls',
      '<lexicon><lexeme><grapheme>SQL</grapheme><phoneme>x</phoneme></lexeme></lexicon>',
    );
    const outcome = await svc(add('anna', ...spoken, '--lexicon', one, '--lexicon', two, '--json'));
    expectEndWith(outcome, 0, `${two}, line 1: "SQL" is ignored: the alphabet "" is not supported`);
    const lexicon = { gif: 'jif', sql: 'sequel' };
    expect(jsonOf(await svc('voices show anna --json'))).toMatchObject({ id: 'anna', lexicon });
    expect(jsonOf(await svc('voices list --json'))).toHaveProperty(
      'voices.0',
      expect.objectContaining({ id: 'anna', lexicon }),
    );
    expect((await svc('voices show anna')).stdout.toString()).toContain('\nlexicon    2 entries\n');

    const say = async (text: string, ...more: string[]): Promise<string> =>
      (await svc(['tts', text, '--output', out, ...more])).backend.texts.join('|');
    const prompt = 'What she says.';
    expect(await say('a gif')).toBe('a gif');
    expect(await say('a gif of sql', '--voice', 'anna')).toBe(`${prompt}a jif of sequel`);
    const own = await file('own.txt', 'GIF = giff');
    expect(await say('a gif, a GIF', '--voice', 'anna', '--lexicon', own)).toBe(`${prompt}a jif, a giff`);
    expect(await say('gif [voice:anna] gif', '--input-format', 'script')).toBe(`gif|${prompt}jif`);

    await svc(add('anna', ...spoken, '--replace'));
    expect(await say('a gif', '--voice', 'anna')).toBe(`${prompt}a gif`);
  });

  it('refuses pronunciations with mistakes before a model is loaded', async () => {
    const words = folder.join('words.txt');
    await writeFile(words, '# names\nAnna\n');
    expect(await svc(add('anna', ...spoken, '--lexicon', words))).toMatchObject({
      ...ended(2, `svc: error: ${words}, line 2: use the form "word = respelling", got "Anna"\n`),
      opened: [],
    });
    expectEndWith(await svc(add('anna', ...spoken, '--lexicon', folder.join('nowhere'))), 2, 'cannot read the lexicon');
  });

  it('refuses the same recordings as other commands, and warns about poor ones', async () => {
    const recording = async (name: string, samples: Float32Array): Promise<string> => {
      await writeFile(folder.join(name), encodeWav(samples, 16_000));
      return folder.join(name);
    };
    const tone = (length: number): Float32Array => new Float32Array(length).map((_, at) => Math.sin(at / 9) / 2);
    const addFile = (file: string): Promise<Outcome> => svc(['voices', 'add', 'b', '--audio', file, ...spoken]);
    for (const [file, message] of [
      [await recording('silence.wav', new Float32Array(48_000)), 'prompt audio is silent'],
      [await recording('short.wav', tone(1_600)), 'prompt audio must be at least 0.3 seconds long'],
    ] as const) {
      expectEndWith(await addFile(file), 2, message);
    }
    const outcome = await addFile(await recording('brief.wav', tone(8_000)));
    expectEndWith(outcome, 0, 'warning: the prompt audio is only 0.50 seconds long');
  });

  it('passes on model options', async () => {
    const choice = ['--model-path', 'm.gguf', '--backend', 'cpu', '--threads', '2'];
    const first = await svc(add('a', ...spoken, ...choice));
    expect(first.opened).toEqual([{ modelPath: 'm.gguf', backend: 'cpu', threads: 2, maxBatch: 1 }]);
    expect(await svc(add('b', ...spoken, '--quiet'))).toMatchObject({ code: 0, stderr: '' });
  });

  it('takes model and device from the environment without options', async () => {
    const models = folder.join('models');
    await mkdir(models);
    await writeFile(join(models, 'm.gguf'), '');
    const environment = { SVC_SQLITE_PATH: folder.join('voices.sqlite'), SVC_MODELS_DIR: models, SVC_DEVICE: 'cpu' };
    const { code, opened } = await svc(add('anna', ...spoken), { environment });
    expect([code, opened]).toEqual([0, [{ modelPath: join(models, 'm.gguf'), backend: 'cpu', maxBatch: 1 }]]);
    const named = await svc(add('bob', ...spoken, '--model-path', 'n.gguf', '--backend', 'auto'), { environment });
    expect(named.opened).toEqual([{ modelPath: 'n.gguf', backend: 'auto', maxBatch: 1 }]);
  });

  it('replaces a voice only with --replace', async () => {
    await svc(add('anna', ...spoken));
    expect(await svc(add('anna', '--text', 'New.'))).toMatchObject({
      ...ended(1, 'svc: error: voice "anna" exists; use another name, or --replace to overwrite it\n'),
      opened: [],
    });
    expect((await svc(add('anna', '--text', 'New.', '--replace', '--discard-recording'))).code).toBe(0);
    expect(jsonOf(await svc('voices show anna --json'))).toMatchObject({ text: 'New.', recording: { kept: false } });
    expect((await svc('voices show anna')).stdout.toString()).toContain('Hz, not kept\n');
  });

  it('keeps existing voices when the model fails or the user interrupts', async () => {
    await svc(add('anna', ...spoken));
    const failing = createFakeBackend({
      info: roomy,
      onCall: () => {
        throw Object.assign(new Error('no memory left'), { code: 'OUT_OF_MEMORY' });
      },
    });
    const failed = await svc(add('anna', '--text', 'New.', '--replace'), { backend: failing });
    expect([failed.code, failed.stderr, failing.disposed()]).toEqual([6, 'svc: error: no memory left\n', true]);
    const controller = new AbortController();
    const slow = createFakeBackend({ info: roomy, onCall: () => controller.abort() });
    expectEnd(await svc(add('bob', ...spoken), { backend: slow, signal: controller.signal }), 130, 'svc: canceled\n');
    expect(jsonOf(await svc('voices list --json'))).toMatchObject({
      voices: [{ id: 'anna', text: 'What she says.' }, ...presets.map((id) => ({ id }))],
    });
  });
});

describe('--voice', () => {
  it('uses a stored voice without encoding it again', async () => {
    await svc(add('anna', ...spoken));
    const { code, stderr, backend } = await svc(speak('--voice', 'anna'));
    expect([code, stderr]).toEqual([0, '']);
    expect(backend.log.slice(0, 3)).toEqual(['encode', 'open', 'decode 0']);
    const prefix = backend.prefixes[0];
    const direct = await svc(speak('--prompt-audio', wav, '--prompt-text', 'What she says.'));
    expect(prefix).toEqual(direct.backend.prefixes[0]);
    expect(existsSync(out)).toBe(true);
    expect(await svc(['clone', ...speak('--voice', 'anna').slice(1)])).toMatchObject({ code: 0 });
  });

  it('accepts a reference with VoxCPM 2, also with control', async () => {
    const added = await svc(add('anna', '--reference'), { backend: model2 });
    expect(added.stderr).toBe(`svc: added voice anna: reference, 1.0 s, fake 2\n${quality}`);
    const { code, backend } = await svc(speak('--voice', 'anna', '--control', 'calm'), { backend: model2 });
    expect(code).toBe(0);
    expect(backend.prefixes[0]?.audioMask.slice(0, 2)).toEqual(new Uint8Array([0, 1]));
    const outcome = await svc(speak('--voice', 'anna'));
    expectEnd(outcome, 2, 'svc: error: a reference voice needs a VoxCPM 2 model; "fake" is not one\n');
  });

  it('takes the timbre of a recording without a transcript with VoxCPM 2 only', async () => {
    const added = await svc(add('anna'), { backend: model2 });
    expect(added.stderr).toBe(`svc: added voice anna: reference, 1.0 s, fake 2\n${quality}`);
    const refused = await svc(add('ben'));
    expectEnd(
      refused,
      2,
      'svc: error: a voice needs --text with the transcript of the recording, unless the model is VoxCPM 2\n',
    );
    expect(refused.backend.disposed()).toBe(true);
  });

  it('shows the quality of the recordings that svc clone is given', async () => {
    const clone = ['clone', '--prompt-audio', wav, '--prompt-text', 'Words.', ...speak().slice(1)];
    const shown = await svc([...clone, '--verbose']);
    expect(shown.stderr).toContain('svc: prompt audio: 1.0 s, speech -16 dB, noise -47 dB (31 dB below)\n');
    expect((await svc(clone)).stderr).toBe('');
    expect(jsonOf(await svc([...clone, '--json']))).toMatchObject({ promptQuality: { seconds: 1.001, snrDb: 30.7 } });
  });

  it('refuses control with a prompt before the model is loaded', async () => {
    await svc(add('anna', ...spoken));
    const { code, stderr, opened } = await svc(speak('--voice', 'anna', '--control', 'calm'), { backend: model2 });
    expect([code, opened]).toEqual([2, []]);
    expect(stderr).toBe(
      'svc: error: --control cannot be combined with voice "anna", which is prompt audio; add the voice with --reference only\n',
    );
  });

  it('refuses a voice of another model without a stored recording', async () => {
    await svc(add('anna', ...spoken, '--discard-recording'));
    expectEnd(
      await svc(speak('--voice', 'anna'), { backend: model2 }),
      1,
      'svc: error: voice "anna" is encoded for fake, not for fake 2, and its recording was not kept; add it again with this model\n',
    );
    expect(existsSync(out)).toBe(false);
  });
});

describe('voiceStorePath', () => {
  const file = 'voices.sqlite';

  it("is SVC_SQLITE_PATH, else in --voice-dir, else in the user's data folder", () => {
    const environment = { SVC_SQLITE_PATH: join('some', 'where.db') };
    expect(voiceStorePath({ voiceDir: 'voices' }, { environment })).toBe(resolve('some', 'where.db'));
    expect(voiceStorePath({ voiceDir: 'voices' }, { environment: {} })).toBe(resolve('voices', file));
    expect(voiceStorePath({ voiceDir: 'voices' }, { environment: { SVC_SQLITE_PATH: '' } })).toBe(
      resolve('voices', file),
    );
    const standard = voiceStorePath({}, { environment: {} });
    expect(standard.startsWith(process.env.XDG_DATA_HOME ?? homedir())).toBe(true);
    expect(standard.endsWith(file)).toBe(true);
  });
});
