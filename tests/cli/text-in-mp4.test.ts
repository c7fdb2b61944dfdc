import { readdir } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parseFile } from 'music-metadata';
import { audible } from '../engine/fake-backend.ts';
import { freshFolder } from '../support/test-folder.ts';
import { invoke } from './invoke.ts';

const folder = freshFolder();

describe('plain text in MP4', () => {
  it.each([
    ['t.m4a', ['Hello there.'], undefined],
    ['t.m4b', ['--text', 'Hello there.', '--input-format', 'plain'], undefined],
    ['t.mp4', [], 'Hello there.'],
    ['T.M4A', ['--text-file', '-'], 'Hello there.'],
  ])('is written to %s from %j', async (name, options, stdin) => {
    const path = folder.join(name);
    const given = { backend: audible, ...(stdin !== undefined && { stdin }) };
    const { code, stderr } = await invoke(['tts', ...options, '--seed', '1', '-o', path], given);
    expect([stderr, code]).toEqual(['', 0]);
    const { format, common } = await parseFile(path);
    expect(format.codec).toMatch(/AAC/);
    expect(format.duration).toBeGreaterThan(0.2);
    expect(common.title?.toLowerCase()).toBe('t');
    expect(await readdir(folder.path)).toEqual([name]);
  });
});
