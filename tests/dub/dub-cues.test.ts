/** Captions spoken at their times, by a voice of tones whose lengths are known. */
import { describe, expect, it, jest } from '@jest/globals';
import { formatCues } from '../../src/captions/format-cues.ts';
import { readCaptions, type SpokenCue } from '../../src/captions/read-captions.ts';
import { type Dubbed, type DubMeans, dubCues } from '../../src/dub/dub-cues.ts';
import { nameVoices, unitsOf } from '../../src/dub/speech-units.ts';
import { assertSilence, statedSilence } from '../../src/dub/stated-silence.ts';
import type { TimedSentence } from '../../src/engine/timing/timed-text.ts';
import { yieldToEventLoop } from '../../src/event-loop.ts';
import { concatenate } from '../../src/float-arrays.ts';
import { createRandom } from '../fuzz/random.ts';

const sampleRate = 8_000;

/** A tone for each word, with silence around it; each caption begins with a tone of its own. */
function speech(text: string, secondsPerWord: number): { samples: Float32Array; sentences: TimedSentence[] } {
  const lead = 0.12;
  const words = text.split(/\s+/u).map((word, index) => ({
    text: word,
    start: lead + index * secondsPerWord,
    end: lead + (index + 0.8) * secondsPerWord,
  }));
  const samples = new Float32Array(Math.round((lead + words.length * secondsPerWord + 0.3) * sampleRate));
  for (const { start, end } of words)
    for (let at = Math.round(start * sampleRate); at < end * sampleRate; at += 1) samples[at] = Math.sin(at * 0.7) / 2;
  return { samples, sentences: [{ text, start: lead, end: samples.length / sampleRate, words, method: 'attention' }] };
}

interface Run extends Dubbed {
  readonly samples: Float32Array;
  readonly spoken: readonly string[];
}

async function dub(
  cues: readonly SpokenCue[],
  pace: (attempt: number) => number,
  means: Partial<DubMeans> = {},
): Promise<Run> {
  const pieces: Float32Array[] = [];
  const spoken: string[] = [];
  const dubbed = await dubCues(cues, {
    sampleRate,
    speak: async (text, voice, attempt) => {
      spoken.push(`${voice ?? ''}|${text}`);
      return text === '…' ? undefined : speech(text, pace(attempt));
    },
    sink: { write: async (samples) => void pieces.push(samples.slice()) },
    ...means,
  });
  return { ...dubbed, samples: concatenate(pieces), spoken };
}

/** When sound begins behind silence of at least `seconds`. */
function onsets(samples: Float32Array, seconds: number): readonly number[] {
  const found: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [at, value] of samples.entries()) {
    if (Math.abs(value) < 0.02) continue;
    if (at - last > seconds * sampleRate) found.push(at / sampleRate);
    last = at;
  }
  return found;
}

const cue = (start: number, end: number, text: string, voice?: string): SpokenCue => ({ start, end, text, voice });

/** The same captions each time, of numbers from 0 up to 1. */
const numbers = (seed: number) => {
  const random = createRandom(seed);
  return () => random(2 ** 31) / 2 ** 31;
};

/** Files of about twenty captions, as talks have them: some touch, some are in the middle of a sentence. */
function captionFile(seed: number): string {
  const next = numbers(seed);
  const blocks: string[] = [];
  let at = next();
  for (let index = 1; index <= 20; index += 1) {
    const words = 2 + Math.floor(next() * 7);
    const length = words * (0.26 + next() * 0.2) + 0.2;
    const end = next() < 0.6 ? '.' : ',';
    const text = `${Array.from({ length: words }, (_, word) => `word${index}x${word}`).join(' ')}${end}`;
    const clock = (seconds: number): string =>
      `00:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${(seconds % 60).toFixed(3).padStart(6, '0').replace('.', ',')}`;
    blocks.push(`${index}\n${clock(at)} --> ${clock(at + length)}\n${text}\n`);
    at += length + (next() < 0.5 ? 0 : 0.3 + next() * 2);
  }
  return blocks.join('\n');
}

it('begins the captions of twenty files within 50 ms, none over another', async () => {
  let begun = 0;
  let close = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const cues = await readCaptions(captionFile(seed));
    // Some attempts are slower than the captions.
    const { cues: dubbed, samples } = await dub(cues, (attempt) => (attempt === 0 && seed % 3 === 0 ? 0.42 : 0.26));
    for (const [index, { start, spokenStart, spokenEnd }] of dubbed.entries()) {
      expect(spokenStart).toBeGreaterThanOrEqual(dubbed[index - 1]?.spokenEnd ?? 0);
      const from = Math.round(spokenStart * sampleRate);
      const first = samples
        .subarray(from, Math.round(spokenEnd * sampleRate))
        .findIndex((value) => Math.abs(value) > 0.02);
      begun += 1;
      if (first !== -1 && Math.abs((from + first) / sampleRate - start) <= 0.05) close += 1;
    }
  }
  expect(begun).toBe(400);
  expect(close / begun).toBeGreaterThanOrEqual(0.99);
});

describe('captions', () => {
  it('begin at their times, without the silence of the model, and the file lasts to the last one', async () => {
    const { samples, cues } = await dub([cue(1, 2, 'one two.'), cue(3.5, 6, 'three.')], () => 0.3);
    expect(onsets(samples, 0.5).map((at) => at.toFixed(2))).toEqual(['1.01', '3.51']);
    expect([samples.length, cues.map(({ fit }) => fit)]).toEqual([6 * sampleRate, ['natural', 'natural']]);
  });

  it('that touch within a sentence are spoken in one piece, and cut where each begins', async () => {
    const touching = [cue(1, 2, 'one two'), cue(2, 4, 'three four.'), cue(4, 5, 'Five.')];
    const { samples, spoken } = await dub(touching, () => 0.3);
    expect(spoken).toEqual(['|one two three four.', '|Five.']);
    const begins = onsets(samples, 0.2);
    for (const start of [1, 2, 4]) expect(begins.some((at) => Math.abs(at - start) < 0.03)).toBe(true);
  });

  it('are spoken again, faster, into the gap, and at last too late', async () => {
    const long = 'a b c d e';
    const slot = (start: number, end: number): SpokenCue => cue(start, end, long);
    const fitOf = async (cues: readonly SpokenCue[], pace: (attempt: number) => number) => {
      const { cues: dubbed, retries, warnings } = await dub(cues, pace);
      return [dubbed.map(({ fit }) => fit), retries, warnings.length];
    };
    expect(await fitOf([slot(1, 2.6)], (attempt) => (attempt === 1 ? 0.28 : 0.5))).toEqual([['natural'], 1, 0]);
    expect(await fitOf([slot(1, 2.2)], () => 0.28)).toEqual([['faster'], 2, 0]);
    expect(await fitOf([slot(1, 2), slot(3, 5)], () => 0.3)).toEqual([['gap', 'natural'], 2, 0]);
    const { cues: late, warnings } = await dub([slot(1, 1.5), slot(1.6, 5)], () => 0.3);
    expect(late[1]?.spokenStart).toBeGreaterThanOrEqual(late[0]?.spokenEnd ?? 9);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^the caption 1, "a b c d e", is 0\.\d\d s too long at 1\.3 times the speed; shorten its text$/,
      ),
    ]);
  });

  it('without words stay silent, with a warning', async () => {
    const { samples, warnings } = await dub([cue(0, 1, '…')], () => 0.3);
    expect([samples.every((value) => value === 0), warnings]).toEqual([
      true,
      ['the caption 1, "…", has no words and stays silent'],
    ]);
  });

  it('stop when they are canceled', async () => {
    const controller = new AbortController();
    const stop = dub([cue(0, 1, 'a.'), cue(2, 3, 'b.')], () => 0.3, {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(stop).rejects.toThrow('abort');
  });
});

describe('reading', () => {
  it('takes SubRip, with mark-up and speakers in two lines', async () => {
    const srt =
      '1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Hello</i> there,\r\n- friend.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,500\r\n{\\an8}Ben: 5 < 6\r\n';
    expect(await readCaptions(srt)).toEqual([
      { start: 1, end: 2, text: 'Hello there, friend.' },
      { start: 3, end: 4.5, text: 'Ben: 5 < 6' },
    ]);
  });

  it('takes WebVTT, with notes, voices and entities', async () => {
    const vtt =
      'WEBVTT\n\nNOTE no\n\nid\n00:01.000 --> 00:03.000 align:start\n<v Anna Lee>Hi &amp; <c.x>bye</c></v>\n<v Ben>Yes, yes.</v>\n';
    const [first, second] = await readCaptions(vtt);
    expect(first).toMatchObject({ start: 1, text: 'Hi & bye', voice: 'Anna Lee' });
    expect(second).toMatchObject({ end: 3, text: 'Yes, yes.', voice: 'Ben' });
    expect(second?.start).toBe(first?.end);
  });

  it.each([
    ['', 'there are no captions'],
    ['Hello.', 'there are no captions'],
    ['1\n00:00:05,000 --> 00:00:04,000\nBack.\n', 'the captions cannot be read: 1 of them end before they begin'],
    ['1\n00:00:05,000 --> x\nBack.\n', 'the caption 1, "Back.", has on line 2 an end that is no time, "x"'],
  ])('refuses %j', async (text, message) => {
    await expect(readCaptions(text)).rejects.toThrow(message);
  });

  it('names voices by tags and prefixes', () => {
    const { cues, unknown, unused } = nameVoices(
      [cue(0, 1, 'Hi.', 'ANNA'), cue(1, 2, 'Ben: Yes.'), cue(2, 3, 'Note: no.'), cue(3, 4, 'Who?', 'Carl')],
      ['Anna', 'Ben', 'Dora'],
    );
    const named = cues.map(({ voice, text }) => `${voice}: ${text}`);
    expect(named).toEqual(['Anna: Hi.', 'Ben: Yes.', 'undefined: Note: no.', 'undefined: Who?']);
    expect([unknown, unused]).toEqual([['Carl'], ['Dora']]);
  });

  it('keeps captions of two voices apart', () => {
    const [anna, ben] = [cue(0, 1, 'a', 'Anna'), cue(1, 2, 'b', 'Ben')];
    const units = unitsOf([anna, ben, cue(2, 3, 'c', 'Ben'), cue(4, 5, 'd', 'Ben')]);
    expect(units.map(({ cues }) => cues.length)).toEqual([1, 2, 1]);
  });
});

it('writes captions that read as the same ones', async () => {
  const cues = [cue(1, 2, 'Short.'), cue(3, 5.25, 'A caption that is much longer than a line of subtitles.', 'Anna')];
  for (const format of ['srt', 'vtt'] as const) {
    const read = await readCaptions(formatCues(cues, format));
    expect(read.map(({ start, end, text }) => ({ start, end, text }))).toEqual(
      cues.map(({ start, end, text }) => ({ start, end, text })),
    );
  }
  expect(formatCues(cues, 'srt')).toContain('A caption that is much longer than\na line');
});

describe('hostile captions', () => {
  it('state silence as far as no words can take the time', () => {
    expect(statedSilence([cue(0, 1, 'One.'), cue(3_599, 3_600, 'Two.')])).toBe(3_598.5);
    expect(statedSilence([cue(0, 10, 'a'.repeat(40))])).toBe(0);
    // Signs may be silent.
    expect(statedSilence([cue(0, 100, '@…'.repeat(1_000))])).toBe(100);
    expect(() => assertSilence([cue(0, 700, 'One.')], 600)).toThrow(
      'the captions state 699 s of silence; the limit is 600 s',
    );
  });

  it('may be more than a function takes arguments', async () => {
    const count = 130_000;
    const cues = Array.from({ length: count }, (_, at) => cue(at / 1_000, (at + 1) / 1_000, '…'));
    const { cues: dubbed, seconds } = await dub(cues, () => 1);
    expect([dubbed.length, seconds]).toEqual([count, count / 1_000]);
  });

  it('let others use the event loop between seconds of silence, and stop there', async () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
      now += 1_000;
      return now;
    });
    const controller = new AbortController();
    let turns = 0;
    try {
      const dubbing = dub([cue(0, 3_600, '…')], () => 1, { signal: controller.signal }).catch(() => undefined);
      for (; turns < 50; turns += 1) await yieldToEventLoop();
      controller.abort();
      expect(await dubbing).toBeUndefined();
    } finally {
      clock.mockRestore();
    }
  });
});
