import { describe, expect, it } from '@jest/globals';
import { createListener, type LoadReport } from '../../src/bench/load.ts';
import { startServer } from '../server/start-server.ts';
import { invoke } from './invoke.ts';

const bench = (server: string, ...argv: string[]) => invoke(['bench', '--server', server, '--json', ...argv]);

const reportOf = (stdout: Buffer): LoadReport => JSON.parse(stdout.toString().trim().split('\n').at(-1) ?? '');

describe('a simulated listener', () => {
  it('pauses for as long as audio is late, and later audio after it', () => {
    const listener = createListener(0);
    listener.receive(1, 200);
    listener.receive(1, 700);
    // Plays until 2200.
    listener.receive(1, 2700);
    // Plays until 3700.
    listener.receive(1, 3600);
    expect(listener.result()).toEqual({
      firstAudioMs: 200,
      longestGapMs: 2000,
      audioSeconds: 4,
      underruns: 1,
      underrunSeconds: 0.5,
    });
  });

  it('without audio has no result', () => expect(createListener(0).result()).toBeUndefined());
});

describe('svc bench --server', () => {
  it('reports what listeners of a server hear', async () => {
    await using server = await startServer({ settings: { apiKey: 'secret' } });
    const { code, stdout } = await bench(server.url, '--streams', '3', '--requests', '7', '--api-key', 'secret');
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(/3 streams, 7 of 7 requests completed/);
    const report = reportOf(stdout);
    expect(report).toMatchObject({ streams: 3, requests: 7, completed: 7, failures: {} });
    expect(report.audioSeconds).toBeGreaterThan(0);
    const { p50, p99, most } = report.firstAudioMs;
    expect(p50).toBeGreaterThan(0);
    expect(p50).toBeLessThanOrEqual(p99 as number);
    expect(p99).toBeLessThanOrEqual(most as number);
  });

  it('sends requests for as long as it should, and counts failures by reason', async () => {
    await using server = await startServer({ settings: { apiKey: 'secret' } });
    const { code, stdout, stderr } = await bench(server.url, '--duration', '0.2');
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('audio: 401 ') });
    const { failures, requests } = reportOf(stdout);
    expect(requests).toBeGreaterThan(0);
    expect(Object.entries(failures)).toEqual([[expect.stringMatching(/^401 .*key/), requests]]);
  });

  it('says when there is no server', async () => {
    const { code, stderr } = await bench('http://127.0.0.1:1');
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('no request to http://127.0.0.1:1') });
  });

  it.each([
    [['--server', 'localhost:8000'], '--server must be a URL'],
    [['--server', 'http://a', '--streams', '0'], '--streams must be an integer from 1'],
    [['--streams', '4'], '--streams needs --server'],
  ])('%j is a usage error', async (argv, message) => {
    const { code, stderr } = await invoke(['bench', ...argv]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
