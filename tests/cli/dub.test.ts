/** `svc dub`, with a fake backend. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { readCaptions } from '../../src/captions/read-captions.ts';
import { audible } from '../engine/fake-backend.ts';
import { freshFolder } from '../support/test-folder.ts';
import { expectEnd, invoke } from './invoke.ts';

const folder = freshFolder();
const at = (name: string): string => folder.join(name);

async function dub(captions: string, ...settings: readonly string[]) {
  await writeFile(at('in.srt'), captions);
  const argv = ['dub', '--captions', at('in.srt'), '-o', at('out.wav'), '--seed', '7', ...settings];
  return invoke(argv, { backend: audible });
}

const srt = (...cues: readonly string[]): string =>
  cues
    .map((text, index) => `${index + 1}\n00:00:0${index * 2 + 1},000 --> 00:00:0${index * 2 + 2},000\n${text}\n`)
    .join('\n');

describe('svc dub', () => {
  it('writes speech at the times of the captions, new captions and a report', async () => {
    const settings = ['--new-captions', at('new.vtt'), '--json', '--quiet'];
    const { code, stdout } = await dub(`${srt('One.', 'Two.')}\0\0`, ...settings);
    expect(code).toBe(0);
    const report = JSON.parse(stdout.toString());
    expect(report).toMatchObject({
      ...{ seed: 7, fits: { natural: 2 }, retries: 0, output: at('out.wav') },
      captions: [
        { text: 'One.', start: 1, spokenStart: 1, fit: 'natural', speed: 1 },
        { text: 'Two.', start: 3, spokenStart: 3, fit: 'natural', speed: 1 },
      ],
    });
    const { samples, sampleRate } = decodeWav(await readFile(at('out.wav')));
    const first = samples.findIndex((value) => Math.abs(value) > 0.01);
    expect(Math.abs(first / sampleRate - 1)).toBeLessThan(0.05);
    expect([samples.length / sampleRate, report.audioSeconds]).toEqual([4, 4]);
    const written = await readCaptions(await readFile(at('new.vtt'), 'utf8'));
    expect(written.map(({ start, end }) => [start, end])).toEqual(
      report.captions.map(({ spokenStart, spokenEnd }: Record<string, number>) => [spokenStart, spokenEnd]),
    );
  });

  it('speaks in the voices of the speakers, and warns of those that fit none', async () => {
    const { code, stderr, backend } = await dub(srt('Anna: One.', 'Two.'), '--voices', 'Anna=alma,Bem=bruno');
    expect(code).toBe(0);
    expect(stderr).toContain('warning: the voice of "Bem" is not used by any caption');
    // Names of speakers are not read out.
    expect(backend.texts.join(' ')).not.toContain('Anna');
  });

  it.each([
    ['no captions', 'Hello.', [], 2, /error: ".*in\.srt": there are no captions/],
    ['an empty file', '', [], 2, /is empty: it must contain captions/],
    [
      'hours of silence',
      '1\n90:00:00,000 --> 90:00:01,000\nOne.\n',
      [],
      2,
      /error: ".*in\.srt": the captions state 324000 s of silence; the limit is 14400 s/,
    ],
  ])('refuses %s, and leaves no file', async (_, captions, settings, code, message) => {
    expectEnd(await dub(captions, ...settings), code, message);
    expect(await readdir(folder.path)).toEqual(['in.srt']);
  });
});
