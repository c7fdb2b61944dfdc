/**
 * Formats the C++ sources: `npm run format:native -- -i`, or `--dry-run -Werror`. Not a dependency of the project, as the
 * package has clang-format for all platforms (39 MB).
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { probeFolders, sourceFolders } from './native-sources.mjs';
import { cachePackage } from './registry-package.js';

const native = join(dirname(dirname(fileURLToPath(import.meta.url))), 'native');
const file = `bin/cfn-${process.platform}-${process.arch}/clang-format${process.platform === 'win32' ? '.exe' : ''}`;
const folder = cachePackage({
  name: 'clang-format-node',
  version: '3.0.7',
  integrity: 'sha512-sKNb5UwKBBczEezaz+fCHiqboGJgUFdhwuKDn88EU+i0tm6Nqu5Q+2okIpw78Y02Wl4iB8OeHl3EtL3MA+5ZjQ==',
  files: [`package/${file}`],
});
const program = join(folder, file);
chmodSync(program, 0o755);

const sources = [...sourceFolders, ...probeFolders].flatMap((name) =>
  readdirSync(join(native, name), { recursive: true })
    .filter((path) => /\.(cc|cu|h)$/.test(path))
    .map((path) => join(native, name, path)),
);
const { status, error } = spawnSync(program, [...process.argv.slice(2), join(native, 'best-kernels.cc'), ...sources], {
  stdio: 'inherit',
});
if (error) throw error;
process.exitCode = status ?? 1;
