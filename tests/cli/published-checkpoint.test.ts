import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

const root = process.cwd();
const main = ['--import', join(root, 'node_modules/tsx/dist/esm/index.mjs'), join(root, 'src/cli/main.ts')];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-published-'));
  cpSync(join(root, 'tests/fixtures/tiny-v1/checkpoint'), join(folder, 'My VoxCPM'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function svc(...argv: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [...main, ...argv], { cwd: folder, encoding: 'utf8' });
  return { code: status, stderr };
}

it('suggests a working command to convert a published checkpoint', () => {
  const speak = ['tts', '--text', 'hello', '--max-length', '4', '--quiet', '--output', 'hello.wav', '--model-path'];
  const { code, stderr } = svc(...speak, 'My VoxCPM');
  expect(code).toBe(4);
  const [, path, output] =
    /^svc: error: My VoxCPM is a checkpoint; convert it first: svc export --format gguf --model-path "(.+)" --output "(.+)"\n$/.exec(
      stderr,
    ) ?? [];
  const conversion = ['export', '--format', 'gguf', '--model-path', path as string, '--output', output as string];
  expect(svc(...conversion)).toMatchObject({ code: 0 });
  expect(svc(...speak, output as string)).toEqual({ code: 0, stderr: '' });
  expect(existsSync(join(folder, 'hello.wav'))).toBe(true);
});
