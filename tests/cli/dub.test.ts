/** `svc dub`, with a fake backend. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../src/audio/decode/wav.ts';
import { readCaptions } from '../../src/captions/read-captions.ts';
import type { FakeOptions } from '../engine/fake-backend.ts';
import { invoke } from './invoke.ts';

/** Audible for four patches of a tenth of a second. */
const fake: FakeOptions = { stopAt: 4, firstLevel: 0.1, info: { patchSamples: 1_600, contextLength: 100_000 } };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-dub-'));
});
afterEach(() => rm(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);

async function dub(captions: string, ...settings: readonly string[]) {
  await writeFile(at('in.srt'), captions);
  return invoke(['dub', '--captions', at('in.srt'), '-o', at('out.wav'), '--seed', '7', ...settings], {
    backend: fake,
  });
}

const srt = (...cues: readonly string[]): string =>
  cues
    .map((text, index) => `${index + 1}\n00:00:0${index * 2 + 1},000 --> 00:00:0${index * 2 + 2},000\n${text}\n`)
    .join('\n');

describe('svc dub', () => {
  it('writes speech at the times of the captions, new captions and a report', async () => {
    const { code, stdout } = await dub(
      `${srt('One.', 'Two.')}\0\0`,
      '--new-captions',
      at('new.vtt'),
      '--json',
      '--quiet',
    );
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
    ['an unknown voice', srt('One.'), ['--voices', 'Anna=nobody'], 3, /unknown voice "nobody"/],
    [
      'other new captions',
      srt('One.'),
      ['--new-captions', 'x.txt'],
      2,
      /--new-captions must end in \.srt, \.vtt, \.ass, \.json/,
    ],
    ['a speed of none', srt('One.'), ['--max-speed', '3'], 2, /--max-speed must be a number from 1 to 2/],
  ])('refuses %s, and leaves no file', async (_, captions, settings, code, message) => {
    const outcome = await dub(captions, ...settings);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(await readdir(folder)).toEqual(['in.srt']);
  });

  it('refuses a missing file', async () => {
    const { code, stderr } = await invoke(['dub', '--captions', at('none.srt'), '-o', at('out.wav')]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot read the captions ".*none\.srt": no such file/)]);
  });
});
