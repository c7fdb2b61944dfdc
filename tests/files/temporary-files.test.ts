import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createWavFile } from '../../src/audio/encode/format.ts';
import { replaceWhole } from '../../src/files/file-system.ts';
import { noteTemporary, removeTemporaries } from '../../src/files/temporary-files.ts';
import { freshFolder } from '../support/test-folder.ts';

const folder = freshFolder();

describe('temporary files', () => {
  it('are removed with what is in them, unless they are no longer temporary', () => {
    const [kept, file, nested] = ['kept', 'file', join('folder', 'nested')].map((name) => folder.join(name));
    noteTemporary(folder.join('folder'));
    noteTemporary(folder.join('never-made'));
    noteTemporary(file as string);
    noteTemporary(kept as string)();
    writeFileSync(kept as string, '');
    writeFileSync(file as string, '');
    expect(existsSync(nested as string)).toBe(false);
    removeTemporaries();
    expect(readdirSync(folder.path)).toEqual(['kept']);
  });

  it('are those of files that are not complete', async () => {
    const sink = await createWavFile(folder.join('a.wav'), 16_000);
    await replaceWhole(folder.join('b.txt'), async (temporary) => {
      writeFileSync(temporary, 'b');
      expect(readdirSync(folder.path)).toHaveLength(2);
      removeTemporaries();
      expect(readdirSync(folder.path)).toEqual([]);
      writeFileSync(temporary, 'b');
    });
    await sink.abort();
    const complete = await createWavFile(folder.join('c.wav'), 16_000);
    await complete.write(new Float32Array(16));
    await complete.finish();
    removeTemporaries();
    expect(readdirSync(folder.path)).toEqual(['b.txt', 'c.wav']);
  });
});

it('a process that gets signals until it ends removes them', async () => {
  const child: ChildProcess = spawn(process.execPath, [
    ...['--import', 'tsx', 'src/cli/main.ts', 'tts', '--live', '--quiet', '--threads', '1'],
    // Long steps: the process is still in one when it gets the second signal.
    ...['--inference-timesteps', '100', '--output', folder.join('out.wav')],
  ]);
  const closed = once(child, 'close');
  // Speech begins with the first sentence, and the text never ends.
  child.stdin?.write('The weather is nice today. It will be nice tomorrow. ');
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  while (readdirSync(folder.path).length === 0) {
    if (hasEnded()) throw new Error(`ended with ${child.exitCode ?? child.signalCode}`);
    await yieldToEventLoop(20);
  }
  for (; !hasEnded(); await yieldToEventLoop(1)) child.kill('SIGINT');
  await closed;
  // Or 130, when the first one was enough.
  expect([130, 'SIGINT']).toContain(child.signalCode ?? child.exitCode);
  expect(readdirSync(folder.path)).toEqual([]);
});
