import { describe, expect, it } from '@jest/globals';
import { createSilenceTrim, trimRecording } from '../../../src/audio/analyze/trim-silence.ts';
import { concatenate } from '../../../src/float-arrays.ts';

const rate = 16_000;
const silence = (seconds: number): Float32Array => new Float32Array(seconds * rate);
const tone = (seconds: number, level = 0.5): Float32Array =>
  Float32Array.from({ length: seconds * rate }, (_, index) => level * Math.sin(index / 5));
const secondsOf = (samples: Float32Array): number => samples.length / rate;

describe('a recording', () => {
  const trimmed = (samples: Float32Array, sampleRate = rate): Float32Array =>
    trimRecording({ samples, sampleRate, channels: 1 }).samples;

  /** Made by the official function, with librosa 0.11, from tones of these lengths and levels. */
  it.each([
    ['16000×0 16000×0.5 16000×0', 12160, 36480],
    ['16000×0.5 32000×0.005', 0, 20608],
    ['9000×0.001 20000×0.5 30000×0.02', 4992, 59000],
    ['5000×0.003 700×0.9 12000×0 8000×0.03 9000×0.001', 896, 29312],
    ['300×0.5 20000×0.001', 0, 4736],
    ['12345×0.01 6789×0.3 23456×0.004', 0, 23680],
  ])('is cut where the official code cuts it: %s from %i to %i', (tones, start, end) => {
    const pairs = tones.split(' ').map((pair) => pair.split('×').map(Number));
    const samples = concatenate(pairs.map(([length = 0, level]) => tone(length / rate, level)));
    expect(trimmed(samples)).toEqual(samples.slice(start, end));
  });

  it('scales with the sample rate', () => {
    const samples = concatenate([silence(1), tone(1), silence(1)]);
    expect(trimmed(samples, rate * 3).length).toBeGreaterThan(1.4 * rate);
  });

  it.each([
    ['silence', silence(1)],
    ['sound throughout', tone(1)],
    ['a few samples', tone(0.01)],
    ['one sample', Float32Array.of(0.5)],
  ])('stays as it is: %s', (_, samples) => {
    expect(trimmed(samples)).toEqual(samples);
  });

  it('may have more frames than a function takes arguments', () => {
    const lowRate = 32;
    const samples = new Float32Array(200_000).fill(0.5);
    expect(trimmed(samples, lowRate)).toEqual(samples);
  });
});

describe('speech as it is generated', () => {
  const trimmed = (samples: Float32Array, piece = samples.length): Float32Array => {
    const trim = createSilenceTrim(rate);
    const out: Float32Array[] = [];
    for (let from = 0; from < samples.length; from += piece) out.push(trim.push(samples.subarray(from, from + piece)));
    return concatenate([...out, trim.flush()]);
  };

  it('keeps 0.2 s before and after, and every silence between', () => {
    const samples = concatenate([silence(1), tone(1), silence(2), tone(1), silence(3)]);
    expect(trimmed(samples)).toEqual(samples.slice(0.8 * rate, 5.2 * rate));
  });

  it('is the same in pieces of any size', () => {
    const samples = concatenate([silence(0.7), tone(0.51), silence(0.333), tone(0.2, 0.01), silence(1)]);
    const whole = trimmed(samples);
    for (const piece of [1, 7, 160, 1280, 5000]) expect(trimmed(samples, piece)).toEqual(whole);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e38])('recovers from %p', (value) => {
    const samples = concatenate([tone(1), tone(1)]);
    samples[100] = value;
    expect(trimmed(samples)).toHaveLength(samples.length);
  });

  it('is flushed once', () => {
    const trim = createSilenceTrim(rate);
    trim.push(tone(0.0105));
    expect(trim.flush().length).toBeGreaterThan(0);
    expect(trim.flush()).toHaveLength(0);
  });

  it('begins with sound above -50 dBFS', () => {
    // The peak of a tone is 3 dB above its level.
    const [quiet, audible] = [-50.5, -49.5].map((level) => tone(1, Math.SQRT2 * 10 ** (level / 20)));
    expect(secondsOf(trimmed(quiet as Float32Array))).toBeCloseTo(0.2);
    expect(trimmed(audible as Float32Array)).toEqual(audible);
  });

  it('loses a hum after the words', () => {
    const hum = tone(5, 0.5 * 10 ** (-40 / 20));
    expect(secondsOf(trimmed(concatenate([tone(1), hum])))).toBeCloseTo(1.2);
  });

  it('is 0.2 s of silence without sound', () => {
    expect(secondsOf(trimmed(silence(10), 1280))).toBeCloseTo(0.2);
    expect(trimmed(new Float32Array(0))).toHaveLength(0);
  });
});
