import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmod, type FileHandle, mkdir, open, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';
import { decodeWav } from '../../../src/audio/decode/wav.ts';
import { createWavFile, createWavStream } from '../../../src/audio/encode/format.ts';
import { type AudioSink, createStreamWriter, through } from '../../../src/audio/encode/sink.ts';
import { encodeWav } from '../../../src/audio/encode/wav-encode.ts';
import { createSpeed } from '../../../src/audio/resample/speed.ts';
import { errorOf, errorWith } from '../../support/errors.ts';
import { listen } from '../../support/listen.ts';
import { readAll } from '../../support/read-all.ts';
import { freshFolder } from '../../support/test-folder.ts';
import { tone } from '../tone.ts';

const speech = Float32Array.from({ length: 10_000 }, (_, index) => Math.sin(index / 7) * 1.01);

async function writeInPieces(sink: AudioSink, samples: Float32Array, ...ends: readonly number[]): Promise<void> {
  let start = 0;
  for (const end of [...ends, samples.length]) {
    await sink.write(samples.subarray(start, end));
    start = end;
  }
  await sink.finish();
}

const rejection = (promise: Promise<unknown>): Promise<Error & { code?: string }> =>
  promise.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error) => error,
  );

describe('through', () => {
  const collect = (calls: unknown[]): AudioSink => ({
    write: async (samples) => void calls.push(samples.length),
    finish: async () => void calls.push('finish'),
    abort: async () => void calls.push('abort'),
  });

  it("passes on a transform's output, and the rest at the end", async () => {
    const calls: unknown[] = [];
    const sink = through(await createSpeed(16_000, 2), collect(calls));
    await sink.write(tone(220, 1, 16_000));
    await sink.finish();
    expect(calls.pop()).toBe('finish');
    expect((calls as number[]).reduce((sum, length) => sum + length, 0)).toBe(8_000);
  });

  it.each(['push', 'flush'] as const)(
    'leaves nothing when %s fails, and fails likewise from then on',
    async (method) => {
      const calls: unknown[] = [];
      const close = (): void => void calls.push('close');
      const good = { push: (samples: Float32Array) => samples, flush: () => speech, close };
      const fail = (): never => {
        throw new Error('broken');
      };
      const sink = through({ ...good, [method]: fail }, collect(calls));
      const writing = async (): Promise<void> => {
        await sink.write(speech);
        await sink.finish();
      };
      expect((await rejection(writing())).message).toBe('broken');
      expect(calls.slice(-2)).toEqual(['close', 'abort']);
      const { length } = calls;
      expect((await rejection(writing())).message).toBe('broken');
      expect(calls).toHaveLength(length);
    },
  );

  it('fails if the transform cannot be opened', async () => {
    const calls: unknown[] = [];
    const sink = through(Promise.reject<never>(new Error('no codec')), collect(calls));
    expect((await rejection(sink.write(speech))).message).toBe('no codec');
    await sink.abort();
    expect(calls).toEqual(['abort', 'abort']);
  });
});

describe('createWavFile', () => {
  const folder = freshFolder();

  it('writes the same bytes as encoding at once, for any pieces', async () => {
    const whole = Buffer.from(encodeWav(speech, 16_000));
    for (const ends of [[], [0, 0, 1], [3_000, 3_001, 9_999]]) {
      const path = folder.join('speech.wav');
      await writeInPieces(await createWavFile(path, 16_000), speech, ...ends);
      expect((await readFile(path)).equals(whole)).toBe(true);
    }
    expect(await readdir(folder.path)).toEqual(['speech.wav']);
  });

  it('writes only a header without samples', async () => {
    const path = folder.join('empty.wav');
    await (await createWavFile(path, 16_000)).finish();
    expect((await readFile(path)).equals(Buffer.from(encodeWav(new Float32Array(0), 16_000)))).toBe(true);
  });

  it('keeps an existing file until the end, and creates no file earlier', async () => {
    const path = folder.join('speech.wav');
    await writeFile(path, 'old');
    const sink = await createWavFile(path, 16_000);
    await sink.write(speech);
    expect(await readFile(path, 'utf8')).toBe('old');
    await sink.abort();
    await sink.abort();
    expect(await readdir(folder.path)).toEqual(['speech.wav']);
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  it('replaces the target of a link', async () => {
    await writeFile(folder.join('real.wav'), 'old');
    await symlink('real.wav', folder.join('link.wav'));
    await writeInPieces(await createWavFile(folder.join('link.wav'), 16_000), speech);
    expect(await readlink(folder.join('link.wav'))).toBe('real.wav');
    expect(await readFile(folder.join('real.wav'))).toHaveLength(20_044);
  });

  it('fails at creation if the file cannot be created', async () => {
    await mkdir(folder.join('taken.wav'));
    await writeFile(folder.join('file'), '');
    const cases = [
      [folder.join('none', 'a.wav'), ' does not exist'],
      [folder.join('file', 'a.wav'), ' does not exist'],
      [folder.join('taken.wav'), ': it is a folder'],
    ] as const;
    for (const [path, message] of cases) {
      const error = await rejection(createWavFile(path, 16_000));
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) });
      expect(error.message).toContain(path);
    }
    expect((await readdir(folder.path)).sort()).toEqual(['file', 'taken.wav']);
  });

  it('fails at creation in a read-only folder', async () => {
    const closed = folder.join('closed');
    await mkdir(closed);
    await chmod(closed, 0o500);
    // Root may write to any folder except the kernel's.
    const path = join(process.getuid?.() === 0 ? '/sys' : closed, 'a.wav');
    const error = await rejection(createWavFile(path, 16_000));
    expect(error).toMatchObject({ code: 'IO', message: expect.stringContaining('is not writable') });
  });

  it('distinguishes an unwritable folder from a missing one', async () => {
    const missing = await rejection(createWavFile(folder.join('none', 'a.wav'), 16_000));
    expect(missing.message).toMatch(/: the folder .*none does not exist$/);
    if (process.platform !== 'linux') return;
    const refused = await rejection(createWavFile('/proc/a.wav', 16_000));
    expect(refused).toEqual(errorOf('IO', /: the folder \/proc does not accept files$/));
  });

  it('leaves nothing behind if the last step fails', async () => {
    const path = folder.join('speech.wav');
    const sink = await createWavFile(path, 16_000);
    await sink.write(speech);
    await mkdir(join(path, 'in-the-way'), { recursive: true });
    expect(await rejection(sink.finish())).toMatchObject({ code: 'IO', message: expect.stringContaining(path) });
    await sink.abort();
    expect(await readdir(folder.path)).toEqual(['speech.wav']);
  });

  it('streams to a pipe instead of replacing it', async () => {
    const pipe = folder.join('pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const reading = readFile(pipe);
    await writeInPieces(await createWavFile(pipe, 16_000), speech, 500);
    expect(decodeWav(await reading).samples).toHaveLength(speech.length);
    expect(await readdir(folder.path)).toEqual(['pipe']);
  });

  it('closes a pipe whose speech is given up', async () => {
    const pipe = folder.join('pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const reading = readFile(pipe);
    const sink = await createWavFile(pipe, 16_000);
    await sink.write(speech);
    await sink.abort();
    expect((await reading).length).toBeLessThanOrEqual(44 + 2 * speech.length);
  });

  it('leaves nothing behind if the disk is full', async () => {
    const path = folder.join('speech.wav');
    const sink = await createWavFile(path, 16_000);
    await sink.write(speech);
    const probe = await open(folder.join('probe'), 'w');
    const writeFile = jest.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'writeFile');
    writeFile.mockRejectedValueOnce(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
    const error = await rejection(sink.write(speech));
    writeFile.mockRestore();
    await probe.close();
    expect(error).toMatchObject({ code: 'IO', message: `cannot write ${path}: no space left on device` });
    expect(await readdir(folder.path)).toEqual(['probe']);
  });
});

describe('createWavStream', () => {
  it('sends a header with unknown sizes and the same samples as encoding at once', async () => {
    const stream = new PassThrough({ highWaterMark: 1 << 20 });
    await writeInPieces(createWavStream(stream, 16_000), speech, 1, 700);
    const sent = readAll(stream);
    const whole = Buffer.from(encodeWav(speech, 16_000));
    whole.writeUInt32LE(0xffffffff, 4);
    whole.writeUInt32LE(0xffffffff, 40);
    expect(sent.equals(whole)).toBe(true);
    expect(decodeWav(sent).samples).toHaveLength(speech.length);
    expect(stream.writableEnded).toBe(false);
  });

  it('sends nothing before the first samples', () => {
    const stream = new PassThrough();
    createWavStream(stream, 16_000);
    expect(stream.readableLength).toBe(0);
  });

  it('waits for a slow reader', async () => {
    const pending: (() => void)[] = [];
    const stream = new Writable({ write: (_chunk, _encoding, done) => void pending.push(done) });
    const written = jest.fn();
    const writing = createWavStream(stream, 16_000).write(speech).then(written);
    const nextWrite = async (): Promise<void> => {
      while (pending.length === 0) await new Promise(setImmediate);
    };
    await nextWrite();
    pending.shift()?.();
    await nextWrite();
    expect(written).not.toHaveBeenCalled();
    pending.shift()?.();
    await writing;
  });

  it.each(['EPIPE', 'ECONNRESET', 'ECANCELED'])('ends with CANCELLED on %s, every time', async (code) => {
    const gone = Object.assign(new Error('gone'), { code });
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(gone) });
    const sink = createWavStream(stream, 16_000);
    expect(await rejection(sink.write(speech))).toMatchObject({ code: 'CANCELLED' });
    expect(await rejection(sink.write(speech))).toMatchObject({ code: 'CANCELLED' });
    expect(stream.listenerCount('close')).toBe(0);
    await sink.abort();
  });

  it('does not wait for a stream that is closed during a write', async () => {
    const stream = new Writable({ write: () => undefined });
    const writing = rejection(createWavStream(stream, 16_000).write(speech));
    stream.destroy();
    expect(await writing).toMatchObject({ code: 'CANCELLED' });
  });

  it('does not take a write for done whose stream is closed', async () => {
    const stream = new Writable({ write: () => undefined });
    const writing = rejection(createStreamWriter(stream)(Uint8Array.of(1)));
    stream.destroy();
    expect(await writing).toMatchObject({ code: 'CANCELLED', message: 'the reader of the audio is gone' });
  });

  it('tells the next write of an error between two', async () => {
    const stream = Object.assign(new EventEmitter(), {
      write: (_bytes: unknown, written: () => void): boolean => {
        written();
        return true;
      },
    });
    const write = createStreamWriter(stream as unknown as Writable);
    await write(Uint8Array.of(1));
    stream.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    stream.emit('error', new Error('a later one'));
    expect(await rejection(write(Uint8Array.of(2)))).toEqual(errorWith('IO', 'no space'));
  });

  it('survives an error after the last write', async () => {
    const stream = new PassThrough();
    const sink = createWavStream(stream, 16_000);
    await sink.finish();
    const closed = new Promise((resolve) => stream.on('close', resolve));
    stream.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    await closed;
  });

  it('ends with CANCELLED when an HTTP client disconnects', async () => {
    let outcome: Promise<Error & { code?: string }> | undefined;
    await using server = await listen((_request, response) => {
      const sink = createWavStream(response, 16_000);
      const forever = async (): Promise<void> => {
        for (;;) await sink.write(new Float32Array(100_000));
      };
      outcome = rejection(forever());
    });
    const request = get(server.url);
    const [response] = await once(request, 'response');
    await once(response, 'data');
    request.destroy();
    expect(await outcome).toMatchObject({ code: 'CANCELLED' });
  });
});
