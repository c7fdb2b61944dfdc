import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../../src/cli/io.ts';
import { run } from '../../../src/cli/program.ts';
import { createEngine } from '../../../src/engine/open-engine.ts';
import { noLoudspeaker } from '../../support/no-loudspeaker.ts';
import { readAll } from '../../support/read-all.ts';
import { svcProgram } from '../../support/svc-program.ts';
import { sharedFolder } from '../../support/test-folder.ts';

describe('svc batch on the native engine', () => {
  const folder = sharedFolder();

  async function svc(...settings: string[]): Promise<void> {
    const stderr = new PassThrough();
    const io: Io = {
      stdin: new PassThrough(),
      stdout: new Writable({ write: (_part, _encoding, done) => done() }),
      stderr,
      signal: new AbortController().signal,
      environment: {},
      loudspeaker: noLoudspeaker,
      openEngine: (options, observer) => createEngine({ ...options, threads: 1, backend: 'cpu' }, observer),
    };
    const code = await run(settings, io);
    expect([code, String(readAll(stderr))]).toEqual([0, '']);
  }

  it('writes the same audio as svc tts, whatever the batch', async () => {
    const prompt = join('tests', 'fixtures', 'tiny-v2', 'ref.wav');
    const model = '--model-path tests/fixtures/peer-tiny-v2.gguf --max-length 6 --inference-timesteps 2'.split(' ');
    const long = 'One sentence is here. '.repeat(16).trim();
    const cases = [
      { record: { text: 'Hello there.', seed: 3 }, options: '--seed 3' },
      {
        record: { text: 'Quiet.', seed: 4, cfg: 1.5, timesteps: 3 },
        options: '--seed 4 --cfg-value 1.5 --inference-timesteps 3',
      },
      {
        record: { text: 'In my timbre.', seed: 5, referenceAudio: prompt, format: 'flac', speed: 1.25 },
        options: `--seed 5 --reference-audio ${prompt} --speed 1.25`,
      },
      { record: { text: long, seed: 6, control: 'calm' }, options: '--seed 6 --control calm' },
    ];
    const input = join(folder, 'lines.jsonl');
    const lines = cases.map(({ record }, index) => JSON.stringify({ id: index, ...record }));
    writeFileSync(input, lines.join('\n'));
    await svc('batch', '--input', input, '--output-dir', join(folder, 'out'), ...model, '--quiet');
    for (const [index, { record, options }] of cases.entries()) {
      const name = `${index}.${record.format ?? 'wav'}`;
      const alone = join(folder, name);
      await svc('tts', '--text', record.text, '--output', alone, ...model, ...options.split(' '), '--quiet');
      expect(readFileSync(join(folder, 'out', name)).equals(readFileSync(alone))).toBe(true);
    }
  });

  it('does not keep the lines in memory', async () => {
    const input = join(folder, 'many.jsonl');
    const text = 'word '.repeat(2_000);
    for (let block = 0; block < 18; block += 1) {
      const lines = Array.from({ length: 200 }, (_, at) => JSON.stringify({ id: `${block}-${at}`, text }));
      writeFileSync(input, `${lines.join('\n')}\n`, { flag: 'a' });
    }
    // A duplicate id at the end stops the run after the first pass. 36 MB of input in a heap of 48 MB, of which svc takes half.
    writeFileSync(input, '{"id": "0-0", "text": "again"}\n', { flag: 'a' });
    const settings = ['batch', '--input', input, '--output-dir', join(folder, 'none')];
    const node = ['--max-old-space-size=48', svcProgram, ...settings];
    expect(() => execFileSync(process.execPath, node, { stdio: 'pipe' })).toThrow('"0-0" in lines 1 and 3601');
  });
});
