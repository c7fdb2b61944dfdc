/** Captions that svc writes, as pysubs2 and webvtt-py read them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readCaptions } from '../../src/captions/read-captions.ts';
import { invoke } from '../cli/invoke.ts';
import { sharedFolder } from '../support/test-folder.ts';

const folder = sharedFolder();
const backend = { stopAt: 20, firstLevel: 0.1, info: { patchSamples: 1_600, contextLength: 100_000 } };
const text =
  'Tom & Jerry said: 1 < 2, and "so on". The second sentence is long enough that it has two lines, or even two captions of its own. [voice:anna]Then --> an arrow.';

it.each(['srt', 'vtt', 'ass'])('%s is read back with its words and times', async (extension) => {
  const path = join(folder, `out.${extension}`);
  const { code, stderr } = await invoke(
    [
      'tts',
      '--text',
      text,
      '-o',
      join(folder, 'out.wav'),
      '--captions',
      path,
      '--seed',
      '7',
      '--voices',
      'anna=default',
      '--quiet',
    ],
    { backend },
  );
  expect([code, stderr]).toEqual([0, '']);
  const [readers] = JSON.parse(execFileSync('python3', ['tests/system/captions.py', path], { encoding: 'utf8' }));
  const own = (await readCaptions(readFileSync(path, 'utf8'))).map((cue) => [
    Math.round(cue.start * 1000),
    Math.round(cue.end * 1000),
    cue.text,
  ]);
  expect(own.length).toBeGreaterThan(2);
  for (const captions of Object.values(readers)) expect(captions).toEqual(own);
});
