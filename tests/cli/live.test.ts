import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { yieldToEventLoop } from '../../src/event-loop.ts';
import { createFakeBackend } from '../engine/fake-backend.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/test-folder.ts';
import { invoke } from './invoke.ts';

const folder = freshFolder();

const speaking = () => createFakeBackend({ stopAt: 4, firstLevel: 1, info: { patchSamples: 4000 } });

describe('svc tts --live', () => {
  it('speaks before standard input has ended', async () => {
    const [stdin, stdout, backend] = [new PassThrough(), new PassThrough(), speaking()];
    const running = invoke(['tts', '--live', '-o', '-'], { stdin, stdout, backend });
    stdin.write('Well, to be hon');
    stdin.write('est, I do');
    await once(stdout, 'data');
    expect(backend.texts).toEqual(['Well, to be honest,']);
    stdin.end('n’t know. Nobody knows.');
    stdout.resume();
    expect((await running).code).toBe(0);
    expect(backend.texts.at(-1)).toContain("don't know. Nobody knows.".replace("'", ''));
  });

  it('writes a file with captions, and characters that arrive in halves', async () => {
    const output = folder.join('out.wav');
    const captions = folder.join('out.json');
    const stdin = new PassThrough();
    const options = ['--no-first-clause', '--captions', captions, '--json'];
    const running = invoke(['tts', '--live', '-o', output, ...options], { stdin, backend: speaking() });
    for (const byte of Buffer.from('One “is” the first. Two is the next.')) {
      stdin.write(Buffer.of(byte));
      await yieldToEventLoop();
    }
    stdin.end();
    const { code, stdout, stderr } = await running;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const { samples, sampleRate } = decodeWav(await readFile(output));
    expect(samples.length).toBeGreaterThan(10_000);
    expect(JSON.parse(stdout.toString())).toMatchObject({ audioSeconds: samples.length / sampleRate });
    const { sentences } = JSON.parse(await readFile(captions, 'utf8'));
    expect(sentences.map(({ text }: { text: string }) => text)).toEqual(['One "is" the first.', 'Two is the next.']);
  });

  it('ends within a step when interrupted, and leaves no file', async () => {
    const stdin = new PassThrough();
    const controller = new AbortController();
    const backend = createFakeBackend({ firstLevel: 1, info: { patchSamples: 4000 } });
    const running = invoke(['tts', '--live', '-o', folder.join('out.wav')], {
      stdin,
      signal: controller.signal,
      backend,
    });
    stdin.write('One is the first. Two is');
    await eventually(() => backend.log.length > 10, 'it speaks');
    controller.abort();
    const steps = (): number => backend.log.filter((entry) => entry.startsWith('step')).length;
    const before = steps();
    expect((await running).code).not.toBe(0);
    expect(steps()).toBeLessThanOrEqual(before + 1);
    expect(await readdir(folder.path)).toEqual([]);
    expect(stdin.destroyed).toBe(true);
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /no text to speak: standard input is empty/],
    ['white space', ' \n', /no text to speak: standard input is empty/],
    ['binary data', 'a\0b', /not UTF-8 text but binary data/],
    ['another encoding', Buffer.from([0x61, 0xff, 0x62]), /standard input is not UTF-8 text/],
    ['SSML', '<speak>Hello.</speak>', /live text cannot be SSML/],
  ])('refuses %s', async (_, stdin, message) => {
    const { code, stderr } = await invoke(['tts', '--live', '-o', folder.join('out.wav')], { stdin });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(await readdir(folder.path)).toEqual([]);
  });
});
