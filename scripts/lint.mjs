/** `npm run lint`: runs all scripts `lint:…` of package.json side by side, and shows the output of each when it ends. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

async function lint(name) {
  const child = spawn(`npm run --silent ${name} 2>&1`, {
    cwd: root,
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.stdout.write(await text(child.stdout));
  const code = await ended;
  if (code === 0) return;
  console.error(`${name} failed with exit code ${code}`);
  process.exitCode = 1;
}

await Promise.all(
  Object.keys(scripts)
    .filter((name) => name.startsWith('lint:'))
    .map(lint),
);
