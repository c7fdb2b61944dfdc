import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = process.cwd();

/** On the registry, `svc` is a converter of somebody else. */
const foreign = [
  // `npm install svc`, with options before and a version behind the name.
  /\bnpm (?:i|install|add|exec)\b[^\n|;&]*(?:[ "'=]|:-)svc(?:@[^\s"']+)?(?=["'\s}]|$)/,
  /\b(?:from|import\(|require\() ?['"]svc['"]/,
  // Outside of a clone, whose own `svc` comes first, npx takes it from the registry.
  /^\s*npx (?:--yes )?svc\b/,
];

const lines = (text: string): readonly string[] => text.split('\n');
const isForeign = (line: string): boolean => foreign.some((pattern) => pattern.test(line));

it('distinguishes the foreign package from ours', () => {
  for (const line of [
    'npm install svc',
    'npm i -g svc@latest',
    `  npm install --global --ignore-scripts "\${SVC_PACKAGE:-svc}"`,
    "import { createEngine } from 'svc';",
    'npx svc tts --text "Hello."',
  ]) {
    expect([line, isForeign(line)]).toEqual([line, true]);
  }
  for (const line of ['npm ci && npx svc tts', 'npm unlink --global voxcpm', 'npx voxcpm tts', 'svc tts']) {
    expect([line, isForeign(line)]).toEqual([line, false]);
  }
});

it('never names the foreign package', () => {
  const { name, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect([name, Object.keys(bin)]).toEqual(['voxcpm', ['svc']]);
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const texts = lines(listed).filter((path) => /\.(md|sh|ts|mjs|js|json|ya?ml)$|^Dockerfile|^\.ci\//.test(path));
  const other = texts.filter(
    (path) => !/^(tests\/packaging\/name\.test\.ts|CHANGELOG\.md|.*package-lock\.json)$/.test(path),
  );
  expect(other).toEqual(
    expect.arrayContaining(['README.md', 'examples/ci.sh', 'docs/install.md', 'Dockerfile', '.ci/run']),
  );
  const found = other.flatMap((path) =>
    lines(readFileSync(join(root, path), 'utf8'))
      .filter(isForeign)
      .map((line) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});
