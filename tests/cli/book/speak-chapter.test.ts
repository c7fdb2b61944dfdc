import fs from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { isWhole, speakChapter } from '../../../src/cli/book/speak-chapter.ts';
import type { SpeakOptions } from '../../../src/cli/options/speak-options.ts';
import { openWorkFolder } from '../../../src/cli/resume/work-folder.ts';
import { createEngineFromBackend } from '../../../src/engine/engine.ts';
import { parseFields } from '../../../src/engine/request.ts';
import { createFakeBackend, failingAt } from '../../engine/fake-backend.ts';
import { freshFolder } from '../../support/test-folder.ts';

const folder = freshFolder();
const section = (text: string, pauseSeconds: number) => ({
  text: `<speak>${text}</speak>`,
  characters: text.length,
  seconds: 1,
  pauseSeconds,
});
const sections = [section('The first words are here.', 0.5), section('And more.', 0)];

/** Speaks two sections, until the step of this number fails. */
async function speak(failAt = Number.POSITIVE_INFINITY) {
  const engine = createEngineFromBackend(createFakeBackend(failingAt(failAt)), { maxBatch: 1 });
  const work = await openWorkFolder(folder.join('work'), 'hash', 'book');
  await work.seed(1);
  const progress: number[] = [];
  const spoken: number[] = [];
  const speaking = {
    engine,
    request: { ...parseFields({}), seed: 1 },
    work,
    options: {} as SpeakOptions,
    take: 1,
    onProgress: (characters: number) => void progress.push(characters),
    onSpoken: (samples: number) => void spoken.push(samples),
  };
  const io = { signal: new AbortController().signal } as Parameters<typeof speakChapter>[3];
  const chapter = speakChapter({ title: 'One', sections }, 0, speaking, io);
  const result = await chapter.catch((error: Error) => error.message);
  return { result, progress, spoken };
}

describe('speakChapter', () => {
  it('reports how many characters are spoken, section by section, and the samples', async () => {
    const { result, progress, spoken } = await speak();
    expect([progress[0], progress.at(-1)]).toEqual([0, 34]);
    expect(progress).toEqual([...progress].sort((one, other) => one - other));
    // The end of the first section, and the beginning of the second.
    expect(progress.filter((characters) => characters === 25)).toHaveLength(2);
    // Steps of both are between.
    expect(progress.some((characters) => characters > 0 && characters < 25)).toBe(true);
    expect(progress.some((characters) => characters > 25 && characters < 34)).toBe(true);
    expect(spoken).toEqual([8_000, 8_000]);
    expect(result).toMatchObject({ patches: 10, parts: 2, isCut: false });
  });

  it('hashes what it writes without reading it again', async () => {
    const read = jest.spyOn(fs, 'createReadStream');
    syncBuiltinESMExports();
    try {
      await speak();
      // Each section once, to join them.
      expect(read.mock.calls.map(([path]) => basename(String(path)))).toEqual([
        'chapter-001-section-001.pcm',
        'chapter-001-section-002.pcm',
      ]);
    } finally {
      read.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it('does not count again what an earlier run has spoken', async () => {
    expect(await speak(7)).toMatchObject({ result: 'out of luck', spoken: [8_000] });
    const { progress, spoken } = await speak();
    expect([progress[0], progress.at(-1)]).toEqual([25, 34]);
    expect(spoken).toEqual([8_000]);
  });

  it('speaks again what the disk has changed of a section or a chapter', async () => {
    await speak(7);
    const kept = folder.join('work', 'chapter-001-section-001.pcm');
    const bytes = await readFile(kept);
    await writeFile(kept, Buffer.alloc(bytes.length));
    expect((await speak()).spoken).toEqual([8_000, 8_000]);
    const chapter = folder.join('work', 'chapter-001.pcm');
    const whole = JSON.parse(await readFile(folder.join('work', 'chapter-001.json'), 'utf8'));
    expect(await isWhole(whole, chapter)).toBe(true);
    expect(await isWhole({ ...whole, hash: undefined }, chapter)).toBe(true);
    await writeFile(chapter, Buffer.alloc(whole.samples * 2));
    expect(await isWhole(whole, chapter)).toBe(false);
  });
});
