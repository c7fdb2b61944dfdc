/** The parts of the page that need no browser. */
import { describe, expect, it } from '@jest/globals';
import { createPcmParser, createPeaks } from '../../../src/web/shared/pcm.ts';
import { PcmTrack } from '../../../src/web/shared/pcm-track.ts';

const ramp = (count: number, from = 0): Float32Array =>
  Float32Array.from({ length: count }, (_, at) => (from + at) / 4096);

function readAll(track: PcmTrack, count: number): number[] {
  const output = new Float32Array(count);
  track.read(output);
  return [...output];
}

describe('createPcmParser', () => {
  it('gives the same samples wherever the pieces end', () => {
    const samples = Int16Array.from({ length: 200 }, (_, at) => (at * 7919) % 65_536);
    const bytes = new Uint8Array(samples.buffer);
    for (const size of [1, 2, 3, 7, 64, 400]) {
      const parse = createPcmParser();
      const parsed: number[] = [];
      for (let at = 0; at < bytes.length; at += size) parsed.push(...parse(bytes.subarray(at, at + size)));
      expect(parsed).toEqual([...samples].map((sample) => sample / 32_768));
    }
  });
});

describe('createPeaks', () => {
  it('keeps the loudest sample of each hundredth of a second', () => {
    const peaks = createPeaks(400);
    peaks.append(Float32Array.of(0.1, -0.5, 0.2));
    peaks.append(Float32Array.of(0.25, -0.75));
    expect(peaks.values).toEqual([0.5, 0.75]);
  });
});

describe('PcmTrack', () => {
  it('waits for a tenth of a second, then plays while more comes, then ends', () => {
    const track = new PcmTrack(1000, 1000);
    track.append(ramp(99));
    expect(readAll(track, 50)).toEqual(Array(50).fill(0));
    expect(track.state).toBe('waiting');
    track.append(ramp(101, 99));
    expect(readAll(track, 150)).toEqual([...ramp(150)]);
    expect([track.state, track.position]).toEqual(['playing', 0.15]);
    track.complete();
    expect(readAll(track, 100)).toEqual([...ramp(50, 150), ...Array(50).fill(0)]);
    expect([track.state, track.position]).toEqual(['ended', 0.2]);
  });

  it('asks for more each time it ran out, and loses no sample', () => {
    const track = new PcmTrack(1000, 1000);
    track.append(ramp(100));
    readAll(track, 128);
    expect([track.state, track.position]).toEqual(['waiting', 0.1]);
    track.append(ramp(199, 100));
    expect(readAll(track, 10)).toEqual(Array(10).fill(0));
    track.append(ramp(1, 299));
    expect(readAll(track, 200)).toEqual([...ramp(200, 100)]);
  });

  it('plays what is shorter than the reserve once it is complete', () => {
    const track = new PcmTrack(1000, 1000);
    track.append(ramp(5));
    track.complete();
    expect(readAll(track, 6)).toEqual([...ramp(5), 0]);
  });

  it('plays across blocks and pieces of any length', () => {
    const track = new PcmTrack(8000, 8000);
    const samples = Float32Array.from({ length: 200_000 }, (_, at) => ((at * 31) % 65_536) / 65_536);
    for (let at = 0, length = 1; at < samples.length; at += length, length = (length * 3) % 100_003) {
      track.append(samples.subarray(at, at + length));
    }
    track.complete();
    expect(readAll(track, 200_000)).toEqual([...samples]);
  });

  it('ends at once when there is nothing', () => {
    const track = new PcmTrack(1000, 1000);
    track.complete();
    expect(track.state).toBe('ended');
  });

  it('interpolates for devices of another rate', () => {
    const track = new PcmTrack(1000, 2000);
    track.append(ramp(100));
    track.complete();
    expect(readAll(track, 198)).toEqual(Array.from({ length: 198 }, (_, at) => at / 2 / 4096));
  });

  it('pauses, seeks, and plays again from the start after the end', () => {
    const track = new PcmTrack(1000, 1000);
    track.append(ramp(300));
    track.complete();
    readAll(track, 10);
    track.pause();
    expect(readAll(track, 4)).toEqual([0, 0, 0, 0]);
    track.seek(0.2);
    track.play();
    expect(readAll(track, 2)).toEqual([...ramp(2, 200)]);
    readAll(track, 200);
    expect(track.state).toBe('ended');
    track.seek(0.1);
    expect(track.state).toBe('paused');
    track.seek(9);
    track.play();
    expect([track.position, track.state]).toEqual([0, 'playing']);
  });
});
