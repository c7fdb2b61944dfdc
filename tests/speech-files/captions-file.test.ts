/** Where captions are written to: files, pipes and standard output. */
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { captionFormatOf, writeCaptions } from '../../src/speech-files/captions-file.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();
const whole = { text: 'Hello there.', start: 0, end: 1 };
const sentences = [{ ...whole, words: [whole], method: 'attention' as const }];
const written = '1\n00:00:00,000 --> 00:00:01,000\nHello there.\n';
const onPosix = process.platform === 'win32' ? it.skip : it;

onPosix.each(['talk.srt', 'talk'])('the named pipe %s stays, and gets SubRip', async (name) => {
  const pipe = folder.join(name);
  execFileSync('mkfifo', [pipe]);
  symlinkSync(name, folder.join('link.srt'));
  for (const path of [pipe, folder.join('link.srt')]) {
    expect(captionFormatOf(path)).toBe('srt');
    const [content] = await Promise.all([readFile(pipe, 'utf8'), writeCaptions(sentences, { captions: path })]);
    expect(content).toBe(written);
  }
  expect([lstatSync(pipe).isFIFO(), readdirSync(folder.path).length]).toEqual([true, 2]);
});

it('writes SubRip to standard output for -', async () => {
  const parts: Buffer[] = [];
  const stdout = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part);
      done();
    },
  });
  await writeCaptions(sentences, { captions: '-' }, stdout);
  expect(Buffer.concat(parts).toString()).toBe(written);
  expect(readdirSync(folder.path)).toEqual([]);
});

onPosix.each([
  ['that exists keeps its mode', 0o664, 0o664],
  ['that is new has that of the umask', undefined, 0o640],
])('a file %s', async (_, mode, expected) => {
  const path = folder.join('talk.srt');
  if (mode !== undefined) {
    writeFileSync(path, 'old');
    chmodSync(path, mode);
  }
  const before = process.umask(0o027);
  await writeCaptions(sentences, { captions: path }).finally(() => process.umask(before));
  expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([expected, written]);
});

it.each([238, 251, 255])('a file may have a name of %i bytes', async (bytes) => {
  const name = `${'x'.repeat(bytes - 4)}.srt`;
  await writeCaptions(sentences, { captions: folder.join(name) });
  expect(readdirSync(folder.path)).toEqual([name]);
});

it('refuses a file whose format is unknown', () => {
  writeFileSync(folder.join('talk.txt'), '');
  expect(() => captionFormatOf(folder.join('talk.txt'))).toThrow('--captions must end in .srt, .vtt, .ass, .json');
});
