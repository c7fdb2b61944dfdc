/**
 * Files of earlier programs are read: `fixtures/upgrade` has what `write-state.ts` had them write, or
 * SVC_UPGRADE_STATE names a folder of another one.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { brokerKeys, protocolVersion } from '../../../src/broker/shared/keys.ts';
import { unpack } from '../../../src/broker/shared/packing.ts';
import { parseTask } from '../../../src/broker/shared/task.ts';
import { openSqliteVoiceStore } from '../../../src/voices/sqlite-store.ts';
import type { Voice } from '../../../src/voices/voice-store.ts';
import { jsonOf } from '../../cli/invoke.ts';
import { outcomeOf } from '../../support/children.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { sharedFolder } from '../../support/test-folder.ts';
import { signalToNoise } from '../compiled-project.ts';
import {
  batchLines,
  batchSettings,
  bookSettings,
  modelSettings,
  pullSettings,
  speechSettings,
  textSettings,
} from './commands.ts';
import type { QueuedJob } from './queued-jobs.ts';

const fixtures = join('tests', 'fixtures', 'upgrade');
const written = process.env.SVC_UPGRADE_STATE;
const states = written
  ? [written]
  : readdirSync(fixtures)
      .filter((name) => name !== 'README.md')
      .map((name) => join(fixtures, name));
/** Their unfinished books are of a format, or of settings, that are not read any more. */
const refusing = ['0.1.0-10e6f3fa', '0.1.0-5e5b514f'];

it.each([
  'voices/voices.sqlite',
  'batch/manifest.jsonl',
  'book.m4b.unfinished',
  'text.wav.unfinished',
  'cache/hub/acme--speech/listing.json',
  'onnx/svc-onnx.json',
  'jobs.json',
])('there is an earlier %s', (name) => {
  expect(states.filter((state) => existsSync(join(state, name)))).not.toEqual([]);
});

describe.each(states)('what %s has', (state) => {
  const parent = sharedFolder();
  const folder = join(parent, 'state');
  const at = (name: string): string => join(folder, name);
  const has = (name: string): boolean => existsSync(join(state, name));
  beforeAll(() => cp(state, folder, { recursive: true }));

  /** Without a hub, which a complete download does not need. */
  function svc(settings: readonly string[]) {
    const env = { ...process.env, SVC_CACHE_DIR: 'cache', HF_ENDPOINT: 'http://name.invalid' };
    return outcomeOf(spawn(process.execPath, [svcProgram, ...settings], { cwd: folder, env }));
  }

  it('voices keep their recordings, encodings and sound', async () => {
    const read = async (): Promise<Voice> => {
      await using store = await openSqliteVoiceStore(at('voices/voices.sqlite'));
      const voice = await store.get('anna');
      const recording = await store.recording('anna', voice?.revision ?? '');
      expect(recording?.samples).toEqual(decodeWav(await readFile(at('recording.wav'))).samples);
      return voice as Voice;
    };
    const before = await read();
    expect(before).toMatchObject({ id: 'anna', text: 'A warm day.', lexicon: [{ written: 'Qwyx', spoken: 'quicks' }] });
    expect(before.encodings).toHaveLength(1);
    expect(await svc([...speechSettings, '--output', 'now.wav'])).toMatchObject({ code: 0 });
    const [then, now] = ['anna.wav', 'now.wav'].map((name) => decodeWav(readFileSync(at(name))).samples);
    expect(now).toHaveLength(then?.length ?? 0);
    expect(signalToNoise(now as Float32Array, then as Float32Array)).toBeGreaterThan(20);
    // Nothing was encoded again.
    expect(await read()).toEqual(before);
  });

  it('a batch goes on, and speaks no finished line again', async () => {
    const manifest = await readFile(at('batch/manifest.jsonl'), 'utf8');
    const finished = await Promise.all(['a.wav', 'b.wav'].map((name) => readFile(at(`batch/${name}`))));
    expect(await svc(batchSettings)).toMatchObject({ code: 0 });
    const grown = await readFile(at('batch/manifest.jsonl'), 'utf8');
    expect(grown.startsWith(manifest)).toBe(true);
    const added = grown.slice(manifest.length).matchAll(/"id":"(\w)"/g);
    expect([...added].map(([, id]) => id).sort()).toEqual(['c', 'd']);
    expect(await Promise.all(['a.wav', 'b.wav'].map((name) => readFile(at(`batch/${name}`))))).toEqual(finished);
    expect(readdirSync(at('batch')).filter((name) => name.endsWith('.wav'))).toHaveLength(batchLines.length);
  });

  if (has('book.m4b.unfinished'))
    it('a book goes on, or says what to do', async () => {
      const { code, stderr } = await svc(bookSettings);
      if (refusing.includes(basename(state))) {
        const remedy = 'run that command again to finish it, or delete the folder to start over';
        expect(stderr).toMatch(new RegExp(`version of svc; ${remedy}\\n$`));
        await rm(at('book.m4b.unfinished'), { recursive: true });
        expect(await svc(bookSettings)).toMatchObject({ code: 0 });
      } else {
        expect([code, stderr]).toEqual([0, expect.stringContaining('svc: resuming: 1 of 4 chapters are finished\n')]);
      }
      expect(existsSync(at('book.m4b.unfinished'))).toBe(false);
    });

  if (has('text.wav.unfinished'))
    it('a long text goes on', async () => {
      const { code, stderr } = await svc(textSettings);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/svc: resuming: [1-9]\d* of \d+ parts are finished\n/)]);
    });

  if (has('cache'))
    it('a downloaded model is not downloaded again', async () => {
      const path = at('cache/hub/acme--speech/speech-f16.gguf');
      const { code, stdout } = await svc(pullSettings);
      expect([code, `${stdout}`]).toEqual([0, expect.stringContaining('speech-f16.gguf')]);
      expect(await readFile(path, 'utf8')).toBe('not looked into');
      const { models } = jsonOf(await svc(['models', 'list', '--json']));
      expect(models).toMatchObject([{ name: 'acme/speech', kind: 'download', state: 'complete' }]);
    });

  if (has('onnx'))
    it('an exported ONNX model speaks', async () => {
      const backend = modelSettings.slice(2);
      const settings = ['--model-path', 'onnx', ...backend, '--seed', '5', '--max-length', '2', '--output', 'onnx.wav'];
      expect(await svc(['tts', '--text', 'Good morning.', ...settings])).toMatchObject({ code: 0 });
    });

  if (has('jobs.json'))
    it('a queued job is understood, or in a queue of its own', async () => {
      const jobs = JSON.parse(await readFile(at('jobs.json'), 'utf8')) as readonly QueuedJob[];
      expect(jobs).toHaveLength(1);
      for (const { key, data, input } of jobs) {
        const { version } = JSON.parse(data) as { readonly version: number };
        const isOwn = key.startsWith(`${brokerKeys('speech').prefix}:`);
        expect(isOwn).toBe(version === protocolVersion);
        if (!isOwn) continue;
        const { kind, request } = parseTask(JSON.parse(data));
        expect(kind).toBe('speech');
        const text = unpack({ json: request, floats: Buffer.from(input, 'base64') });
        expect(JSON.stringify(text)).toContain('Good morning.');
      }
    });
});
