/** Captions that svc writes, as pysubs2 and webvtt-py read them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readCaptions } from '../../src/captions/read-captions.ts';
import { invoke } from '../cli/invoke.ts';
import { audible } from '../engine/fake-backend.ts';
import { sharedFolder } from '../support/test-folder.ts';

const folder = sharedFolder();
const backend = { ...audible, stopAt: 20 };
const text =
  'Tom & Jerry said: 1 < 2, and "so on". The second sentence is long enough that it has two lines, or even two captions of its own. [voice:anna]Then --> an arrow.';

it.each(['srt', 'vtt', 'ass'])('%s is read back with its words and times', async (extension) => {
  const path = join(folder, `out.${extension}`);
  const captions = ['--captions', path, '--seed', '7', '--voices', 'anna=default', '--quiet'];
  const output = ['-o', join(folder, 'out.wav')];
  const { code, stderr } = await invoke(['tts', '--text', text, ...output, ...captions], { backend });
  expect([code, stderr]).toEqual([0, '']);
  const [readers] = JSON.parse(execFileSync('python3', ['tests/system/captions.py', path], { encoding: 'utf8' }));
  const milliseconds = (seconds: number): number => Math.round(seconds * 1000);
  const cues = await readCaptions(readFileSync(path, 'utf8'));
  const own = cues.map((cue) => [milliseconds(cue.start), milliseconds(cue.end), cue.text]);
  expect(own.length).toBeGreaterThan(2);
  for (const read of Object.values(readers)) expect(read).toEqual(own);
});
