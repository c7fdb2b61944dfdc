/** Audiobooks as FFmpeg sees them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EngineOptions } from '../../src/engine/engine-options.ts';
import { createEngine } from '../../src/engine/open-engine.ts';
import { png, writeEpub } from '../book/write-epub.ts';
import { invoke, jsonOf } from '../cli/invoke.ts';
import { sharedFolder } from '../support/test-folder.ts';

interface Probed {
  readonly chapters: readonly { start_time: string; end_time: string; tags: { title: string } }[];
  readonly format: { readonly duration: string; readonly tags?: Readonly<Record<string, string>> };
  readonly streams: readonly { readonly codec_type: string; readonly tags?: Readonly<Record<string, string>> }[];
}

describe('an audiobook', () => {
  const openEngine = (options: EngineOptions) => createEngine({ ...options, backend: 'cpu', threads: 1 });
  const folder = sharedFolder();
  let epub: string;
  beforeAll(async () => {
    epub = await writeEpub(join(folder, 'in.epub'), {
      title: 'The Book',
      author: 'A. Writer',
      cover: png,
      chapters: [
        ['Eins – ü', '<h1>One</h1><p>It was a warm day.</p>'],
        ['Two', '<h1>Two</h1><p>The river was wide and cold.</p>'],
        ['Three', '<p>Nobody came back.</p>'],
      ],
    });
  });

  it.each(['m4b', 'mp3', 'ogg', 'opus', 'flac'])(
    'has chapters, title, author and cover in ffprobe (%s)',
    async (extension) => {
      const path = join(folder, `out.${extension}`);
      const outcome = await invoke(`tts --text-file ${epub} -o ${path} --seed 7 --json`, { openEngine });
      expect(outcome.code).toBe(0);
      const { chapters, audioSeconds } = jsonOf(outcome);
      const shown = ['-v', 'error', '-of', 'json', '-show_chapters', '-show_format', '-show_streams', path];
      const found = execFileSync('ffprobe', shown, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      const probed: Probed = JSON.parse(found);
      expect(probed.chapters.map(({ tags }) => tags.title)).toEqual(['Eins – ü', 'Two', 'Three']);
      for (const [index, { start_time: start, end_time: end }] of probed.chapters.entries()) {
        expect(Math.abs(Number(start) - chapters[index].start)).toBeLessThan(0.002);
        expect(Math.abs(Number(end) - chapters[index].end)).toBeLessThan(0.02);
      }
      expect(Math.abs(Number(probed.format.duration) - audioSeconds)).toBeLessThan(0.15);
      const tags = Object.entries({ ...probed.streams[0]?.tags, ...probed.format.tags });
      const named = new Map(tags.map(([name, value]) => [name.toLowerCase(), value]));
      expect([named.get('title'), named.get('artist')]).toEqual(['The Book', 'A. Writer']);
      expect(probed.streams.filter(({ codec_type: type }) => type === 'video')).toHaveLength(1);
      // Plays from the last chapter on, without a complaint.
      const play = ['-v', 'error', '-ss', String(chapters[2].start), '-i', path, '-map', '0:a', '-f', 's16le', '-'];
      const { length } = execFileSync('ffmpeg', play, { maxBuffer: 1 << 26 });
      expect(length).toBeGreaterThan(16_000);
    },
  );

  it.each([
    ['m4b', ['audiobook'], -20, -3],
    ['mp3', ['-18'], -18, -2.5],
    ['flac', ['podcast'], -16, -1],
  ] as const)('is as loud as asked in FFmpeg, its peaks too (%s)', async (extension, [target], loudness, peak) => {
    const path = join(folder, `loud.${extension}`);
    const settings = ['--seed', '7', '--loudness', target, '--head-silence', '0.5', '--tail-silence', '1', '--quiet'];
    const { code } = await invoke(['tts', '--text-file', epub, '-o', path, ...settings], { openEngine });
    expect(code).toBe(0);
    const filter = ['-hide_banner', '-nostats', '-i', path, '-vn', '-af', 'ebur128=peak=true', '-f', 'null', '-'];
    const { stderr } = spawnSync('ffmpeg', filter, { encoding: 'utf8' });
    const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
    const read = (pattern: RegExp): number => Number(pattern.exec(summary)?.[1]);
    expect(Math.abs(read(/I:\s+(-?[\d.]+) LUFS/) - loudness)).toBeLessThanOrEqual(0.3);
    expect(read(/Peak:\s+(-?[\d.]+) dBFS/)).toBeLessThanOrEqual(peak);
  });
});
