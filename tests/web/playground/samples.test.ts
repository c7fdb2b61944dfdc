/** Parts of the page that need no browser. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeWav } from '../../../src/audio/wav.ts';

interface Track {
  readonly position: number;
  readonly state: string;
  append(samples: Float32Array): void;
  complete(): void;
  play(): void;
  pause(): void;
  seek(seconds: number): void;
  read(output: Float32Array): void;
}

interface Modules {
  readonly PcmTrack: new (sampleRate: number, outputRate: number) => Track;
  readonly createPcmParser: () => (bytes: Uint8Array) => Float32Array;
  readonly encodeWav: (chunks: readonly Float32Array[], sampleRate: number) => Blob;
  readonly createPeaks: (sampleRate: number) => { readonly values: number[]; append(samples: Float32Array): void };
}

let modules: Modules;

beforeAll(async () => {
  const folder = join(process.cwd(), 'src', 'web', 'playground');
  const [track, pcm] = await Promise.all(
    ['pcm-track.js', 'pcm.js'].map((name) => import(pathToFileURL(join(folder, name)).href)),
  );
  modules = { ...track, ...pcm };
});

const ramp = (count: number, from = 0): Float32Array =>
  Float32Array.from({ length: count }, (_, at) => (from + at) / 4096);

function readAll(track: Track, count: number): number[] {
  const output = new Float32Array(count);
  track.read(output);
  return [...output];
}

describe('createPcmParser', () => {
  it('returns the same samples for any piece boundaries', () => {
    const samples = Int16Array.from({ length: 200 }, (_, at) => (at * 7919) % 65_536);
    const bytes = new Uint8Array(samples.buffer);
    for (const size of [1, 2, 3, 7, 64, 400]) {
      const parse = modules.createPcmParser();
      const parsed: number[] = [];
      for (let at = 0; at < bytes.length; at += size) parsed.push(...parse(bytes.subarray(at, at + size)));
      expect(parsed).toEqual([...samples].map((sample) => sample / 32_768));
    }
  });
});

describe('encodeWav', () => {
  it("writes files that the server's decoder reads", async () => {
    const bytes = new Uint8Array(await modules.encodeWav([ramp(100), ramp(60, 100)], 44_100).arrayBuffer());
    const { samples, sampleRate } = decodeWav(bytes);
    expect(sampleRate).toBe(44_100);
    expect(Array.from(samples)).toEqual([...ramp(160)]);
  });

  it('clips instead of wrapping around', async () => {
    const wave = modules.encodeWav([Float32Array.of(1.5, -1.5)], 8000);
    expect([...new Int16Array(await wave.slice(44).arrayBuffer())]).toEqual([32_767, -32_768]);
  });
});

describe('createPeaks', () => {
  it('keeps the loudest sample of each hundredth of a second', () => {
    const peaks = modules.createPeaks(400);
    peaks.append(Float32Array.of(0.1, -0.5, 0.2));
    peaks.append(Float32Array.of(0.25, -0.75));
    expect(peaks.values).toEqual([0.5, 0.75]);
  });
});

describe('PcmTrack', () => {
  it('waits for a tenth of a second, then plays until the end', () => {
    const track = new modules.PcmTrack(1000, 1000);
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

  it('buffers more after each underrun, without losing samples', () => {
    const track = new modules.PcmTrack(1000, 1000);
    track.append(ramp(100));
    readAll(track, 128);
    expect([track.state, track.position]).toEqual(['waiting', 0.1]);
    track.append(ramp(199, 100));
    expect(readAll(track, 10)).toEqual(Array(10).fill(0));
    track.append(ramp(1, 299));
    expect(readAll(track, 200)).toEqual([...ramp(200, 100)]);
  });

  it('plays audio shorter than the buffer once it is complete', () => {
    const track = new modules.PcmTrack(1000, 1000);
    track.append(ramp(5));
    track.complete();
    expect(readAll(track, 6)).toEqual([...ramp(5), 0]);
  });

  it('plays across blocks and pieces of any length', () => {
    const track = new modules.PcmTrack(8000, 8000);
    const samples = Float32Array.from({ length: 200_000 }, (_, at) => ((at * 31) % 65_536) / 65_536);
    for (let at = 0, length = 1; at < samples.length; at += length, length = (length * 3) % 100_003) {
      track.append(samples.subarray(at, at + length));
    }
    track.complete();
    expect(readAll(track, 200_000)).toEqual([...samples]);
  });

  it('ends immediately if there is no audio', () => {
    const track = new modules.PcmTrack(1000, 1000);
    track.complete();
    expect(track.state).toBe('ended');
  });

  it('interpolates for devices of another sample rate', () => {
    const track = new modules.PcmTrack(1000, 2000);
    track.append(ramp(100));
    track.complete();
    expect(readAll(track, 198)).toEqual(Array.from({ length: 198 }, (_, at) => at / 2 / 4096));
  });

  it('pauses, seeks, and replays from the start after the end', () => {
    const track = new modules.PcmTrack(1000, 1000);
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
