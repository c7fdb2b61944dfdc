import { describe, expect, it } from '@jest/globals';
import { eightChannels, endlessChunks, slowChunk } from '../audio/hostile-audio.ts';
import { eventually } from '../support/eventually.ts';
import { watchThreads } from '../support/watch-threads.ts';
import { read, startServer, type TestServer } from './start-server.ts';

async function upload(server: TestServer, id: string, audio: Buffer, signal?: AbortSignal): Promise<number> {
  return (await read(server.send('/v1/voices', { id, text: 'What is said.', audio }, signal && { signal }))).status;
}

describe('hostile recordings', () => {
  it('9 uploads are refused while other requests are answered', async () => {
    // Shorter than the default, so that refusing longer recordings takes less time.
    await using server = await startServer({ limits: { recordingSeconds: 20 } });
    const [m4a, flac] = [await endlessChunks(), await eightChannels(60)];
    using threads = watchThreads();
    // The server takes eight at once and refuses the others, which retry.
    const insist = async (id: string, bytes: Buffer): Promise<number> => {
      for (;;) {
        // The answer may be lost while the client still sends.
        const status = await upload(server, id, bytes).catch(() => 503);
        if (status !== 503) return status;
      }
    };
    const uploads = Promise.all(Array.from({ length: 9 }, (_, index) => insist(`v${index}`, index % 2 ? m4a : flac)));
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    void uploads.then(over, over);
    while (!isOver) expect((await server.fetch('/healthz')).status).toBe(200);
    expect(await uploads).toEqual(Array.from({ length: 9 }, (_, index) => (index % 2 ? 415 : 413)));
    // None was decoded in the thread that answers requests; the same bytes at the same time are decoded once.
    const answers = threads.answers();
    expect(answers.length).toBeGreaterThanOrEqual(2);
    expect(answers.filter((answer) => answer !== 'error')).toEqual([]);
  });

  it('decoding stops when the client disconnects, and when the server shuts down', async () => {
    // Decoding takes hours.
    await using server = await startServer({ limits: { recordingSeconds: 36_000 } });
    const slow = await slowChunk();
    {
      using threads = watchThreads();
      const gone = new AbortController();
      const uploads = Array.from({ length: 8 }, (_, index) => upload(server, `w${index}`, slow, gone.signal));
      await eventually(() => threads.asked() > 0, 'one is being decoded');
      gone.abort();
      for (const { status } of await Promise.allSettled(uploads)) expect(status).toBe('rejected');
      await threads.ended();
    }
    // Decoded, but silent.
    expect(await upload(server, 'silent', await eightChannels(1))).toBe(400);
    using threads = watchThreads();
    const last = upload(server, 'last', slow).catch(() => 0);
    await eventually(() => threads.asked() > 0, 'the last one is being decoded');
    await server.close();
    await threads.ended();
    await last;
  });
});
