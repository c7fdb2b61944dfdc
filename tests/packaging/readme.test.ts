import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readmeCommands } from '../clean-root/readme-commands.ts';

it("extracts the README's commands", () => {
  const { packages, speak, test } = readmeCommands(readFileSync(join(process.cwd(), 'README.md'), 'utf8'));
  expect(packages).toEqual(expect.arrayContaining(['g++', 'git', 'libasound2', 'make', 'python3']));
  expect(speak).toMatch(/^npm ci && npx svc tts .+ --output hello\.wav$/);
  expect(test).toBe('npm test');
});

it('names missing parts of a README', () => {
  expect(() => readmeCommands('## Two commands\n\n```sh\nnpm ci\n```\n\n## Use\n')).toThrow('sudo apt install');
});
