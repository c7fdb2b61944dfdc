/** Voices by upload with unmodified clients of OpenAI, ElevenLabs and vLLM-Omni, and `svc serve` with the demo model. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { sharedFolder } from '../support/test-folder.ts';
import { runClient, sharedServe } from './run-client.ts';

const execute = promisify(execFile);

const recording = join(sharedFolder(), 'recording.wav');
/** For clients that send no transcript. */
const recognizer = `${process.execPath} -e "console.log('The words of the recording.')"`;
const server = sharedServe('--api-key', 'sk-test', '--check-with', recognizer);
beforeAll(async () => {
  const headers = { Authorization: 'Bearer sk-test' };
  const voice = await fetch(`${server.url}/v1/voices/alma/audio`, { headers });
  writeFileSync(recording, new Uint8Array(await voice.arrayBuffer()));
});

const run = <Result>(script: string, environment: NodeJS.ProcessEnv = {}): Promise<Result> =>
  runClient(script, [`${server.url}/v1`, 'sk-test', recording], environment);

it('audio.voices of the openai package clones a voice and speaks with it', async () => {
  // Of a version that the other clients cannot use.
  const got = await run<{ readonly bytes: number }>('openai_voices.py', { PYTHONPATH: process.env.OPENAI_PACKAGE });
  expect(got).toEqual({
    voice: ['Kim', 'audio.voice', 'Kim', 'int'],
    bytes: expect.any(Number),
    taken: 'voice_exists',
    consent: ['audio.voice_consent', 'en-US', 'Kim', 'Kim', true],
    consent_deleted: true,
    deleted: true,
  });
  expect(got.bytes).toBeGreaterThan(30_000);
});

it('the elevenlabs package clones, edits, finds and deletes voices, and speaks dialogues', async () => {
  const got = await run<Readonly<Record<string, number>>>('elevenlabs_voices.py');
  expect(got).toEqual({
    added: ['Kim-B', false],
    bytes: expect.any(Number),
    dialogue: expect.any(Number),
    stream: expect.any(Number),
    voice: 'cloned',
    own: 'default',
    edited: 'ok',
    cloned: ['Kim-B'],
    pages: [2, true, '2'],
    speed: 1,
    default: 1,
    user: 'active',
    clones: true,
    languages: expect.arrayContaining(['en']),
    missing: [404, 'voice_not_found'],
    deleted: 'ok',
  });
  expect(got.bytes).toBeGreaterThan(10_000);
  expect(got.dialogue).toBeGreaterThan(Number(got.bytes));
});

it("vLLM-Omni's example with curl uploads a voice, speaks with it and deletes it", async () => {
  const curl = async (...options: readonly string[]): Promise<string> =>
    (await execute('curl', ['--silent', '--show-error', '-H', 'Authorization: Bearer sk-test', ...options])).stdout;
  const form = ['consent=user_consent_id', 'name=custom_voice_2', 'ref_text=The words of the recording.'];
  const fields = [`audio_sample=@${recording}`, ...form].flatMap((field) => ['-F', field]);
  const added = JSON.parse(await curl('-X', 'POST', `${server.url}/v1/audio/voices`, ...fields));
  expect(added).toMatchObject({ success: true, voice: { name: 'custom_voice_2', consent: 'user_consent_id' } });
  const speech = JSON.stringify({
    items: [{ input: 'Hello there.' }, { input: 'Goodbye.' }],
    speaker: 'custom_voice_2',
  });
  const json = ['-H', 'Content-Type: application/json', '-d', speech];
  const batch = JSON.parse(await curl('-X', 'POST', `${server.url}/v1/audio/speech/batch`, ...json));
  expect(batch).toMatchObject({ total: 2, succeeded: 2, failed: 0 });
  const deleted = JSON.parse(await curl('-X', 'DELETE', `${server.url}/v1/audio/voices/custom_voice_2`));
  expect(deleted).toMatchObject({ success: true });
});
