import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endlessChunks, slowChunk } from '../audio/hostile-audio.ts';
import { svcProgram } from '../support/svc-program.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-hostile-'));
  await writeFile(join(folder, 'slow.m4a'), await slowChunk());
  await writeFile(join(folder, 'endless.m4a'), await endlessChunks());
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** `recording` in shell syntax: a path, or `<(…)`. */
const clone = (recording: string) => {
  const options = '--prompt-text x --text y --output "$1/out.wav"';
  const line = `exec "$0" ${svcProgram} clone --prompt-audio ${recording} ${options}`;
  const child = spawn('bash', ['-c', line, process.execPath, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // Kills a process that doesn't end otherwise.
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const ended = once(child, 'close').then(([code, signal]) => {
    clearTimeout(timer);
    return { code: code as number | null, signal: signal as string | null, stderr };
  });
  return { child, ended };
};

describe('svc clone', () => {
  it('refuses an M4A file with endless tables, in one line', async () => {
    const { code, stderr } = await clone('"$1/endless.m4a"').ended;
    expect(stderr).toMatch(/^svc: error: [^\n]*: the M4A or MP4 file is damaged: [^\n]*\n$/);
    expect(code).toBe(2);
  });

  it('stops immediately when interrupted while decoding', async () => {
    const { child, ended } = clone('<(cat "$1/slow.m4a"; touch "$1/read")');
    while (!existsSync(join(folder, 'read'))) await wait(20);
    await wait(1_000);
    const told = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 130, signal: null });
    // Uninterrupted, decoding would take until its limit of 27 seconds.
    expect(performance.now() - told).toBeLessThan(15_000);
    expect((await readdir(folder)).sort()).toEqual(['endless.m4a', 'read', 'slow.m4a']);
  });
});
