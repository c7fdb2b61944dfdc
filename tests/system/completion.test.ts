import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { completionScripts } from '../../src/cli/completion/scripts.ts';
import { sharedFolder } from '../support/test-folder.ts';

/** Needs zsh and fish; bash is tested with the command line. */
const folder = sharedFolder();
beforeAll(async () => {
  const svc = join(folder, 'svc');
  await writeFile(svc, `#!/bin/sh\nexec '${process.execPath}' '${join(process.cwd(), 'bin', 'svc.js')}' "$@"\n`);
  await chmod(svc, 0o755);
  for (const shell of ['zsh', 'fish'] as const) await writeFile(join(folder, shell), completionScripts[shell]);
});

const execute = (command: string, settings: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, HOME: folder };
    // Ends a hanging shell and its children by closing their terminal.
    execFile(command, settings, { env, timeout: 600_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message} ${stderr}`));
      else resolve(stdout);
    });
  });

/** Typed text, and the line after pressing Tab. */
const lines = [
  ['svc mod', 'svc models '],
  ['svc tts --backend cu', 'svc tts --backend cuda '],
  ['svc tts --text "a b" --voice-d', 'svc tts --text "a b" --voice-dir '],
  ['svc inspect README', 'svc inspect README.md '],
  ['svc export --model-path sr', 'svc export --model-path src/'],
  ['svc tts --output=READ', 'svc tts --output=README.md '],
  ['svc completion z', 'svc completion zsh '],
] as const;

describe('completion', () => {
  it('completes in an interactive zsh', async () => {
    const out = join(folder, 'line');
    const setUp = [
      'autoload -Uz compinit; compinit -u -D',
      `source ${join(folder, 'zsh')}`,
      `show() { print -r -- "$BUFFER|" > ${out}; BUFFER=; }; zle -N show; bindkey '^X' show`,
      `: > ${join(folder, 'ready')}`,
    ].join('; ');
    const script = [
      'zmodload zsh/zpty',
      'zpty z zsh -f -i',
      `zpty -w z ${quote(setUp)}`,
      // Input typed while a shell is busy bypasses its line editor.
      `while [[ ! -e ${join(folder, 'ready')} ]]; do sleep 0.05; done`,
      ...lines.flatMap(([typed]) => [
        `rm -f ${out}`,
        `zpty -w -n z ${quote(typed)}$'\\t\\x18'`,
        `while [[ ! -s ${out} ]]; do sleep 0.05; done`,
        `cat ${out}`,
      ]),
      'zpty -d z',
    ];
    const output = await execute('zsh', ['-f', '-c', script.join('\n')]);
    expect(output.trimEnd().split('\n')).toEqual(lines.map(([, completed]) => `${completed}|`));
  });

  it('completes in fish', async () => {
    const script = [
      `source ${join(folder, 'fish')}`,
      ...lines.flatMap(([typed]) => [`complete -C ${quote(typed)}`, 'echo ===']),
    ];
    const output = await execute('fish', ['--no-config', '-c', script.join('\n')]);
    const answers = output.split('===\n').map((part) => part.trim().split(/[\t\n]/)[0]);
    // fish returns the last word.
    const words = lines.map(([, completed]) => completed.trim().split(' ').at(-1));
    expect(answers.slice(0, lines.length)).toEqual(words);
  });
});

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
