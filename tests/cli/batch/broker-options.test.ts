import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedFolder } from '../../support/test-folder.ts';
import { invoke } from '../invoke.ts';
import { smallModel } from '../small-model.ts';

const model = smallModel();
const folder = sharedFolder();
let input: string;
beforeAll(() => {
  input = join(folder, 'texts.txt');
  writeFileSync(input, 'One.\nTwo.\n');
});

const batch = async (settings: readonly string[], environment = {}): Promise<[number, string]> => {
  const output = join(folder, 'out');
  const argv = ['batch', '--input', input, '--output-dir', output, ...settings];
  const { code, stderr } = await invoke(argv, { environment });
  return [code, stderr];
};

describe('svc batch with a broker', () => {
  it('names a broker that does not answer', async () => {
    const message = 'cannot reach Redis at redis://127.0.0.1:1: connection refused';
    expect(await batch(['--broker', 'redis://127.0.0.1:1'])).toEqual([5, expect.stringContaining(message)]);
    const environment = { SVC_BROKER_URL: 'redis://:secret@127.0.0.1:1' };
    expect(await batch([], environment)).toEqual([5, expect.stringContaining(message)]);
  });

  it('checks lines without it', async () => {
    const lines = join(folder, 'lines.jsonl');
    writeFileSync(lines, '{"text": "One.", "lora": "of-workers"}\n');
    expect(await batch(['--input', lines, '--check', '--broker', 'redis://127.0.0.1:1'])).toEqual([0, '']);
    expect(await batch(['--input', lines, '--check'])).toMatchObject([2, expect.stringContaining('of-workers')]);
  });
});

it('keeps the manifest where --manifest says', async () => {
  const manifest = join(folder, 'kept', 'lines.jsonl');
  const settings = ['--manifest', manifest, '--json', ...model];
  const speak = async () => {
    const run = await invoke(['batch', '--input', input, '--output-dir', join(folder, 'out'), ...settings]);
    return JSON.parse(run.stdout.toString());
  };
  expect(await speak()).toMatchObject({ done: 2, skipped: 0, manifest });
  expect(await speak()).toMatchObject({ done: 0, skipped: 2, manifest });
});
