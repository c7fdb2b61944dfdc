import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Argument, Command, Option } from 'commander';
import { completionScripts, shells } from '../../src/cli/completion/scripts.ts';
import { suggestedValues } from '../../src/cli/completion/suggested.ts';
import type { Io } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { openSqliteVoiceStore } from '../../src/voices/sqlite-store.ts';
import { presets } from '../presets.ts';
import { readRows } from '../support/rows.ts';
import { svcProgram } from '../support/svc-program.ts';
import { sharedFolder } from '../support/test-folder.ts';
import { invoke } from './invoke.ts';

const folder = sharedFolder();
let environment: Record<string, string>;
beforeAll(() => {
  environment = { SVC_CACHE_DIR: join(folder, 'cache'), SVC_SQLITE_PATH: join(folder, 'voices.sqlite') };
});

/** Kind and values of the answer. */
async function suggestions(words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await invoke(['completion', 'suggest', '--', ...words], { environment });
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.toString().trimEnd().split('\n');
  return lines.map((line) => line.split('\t')[0] as string);
}

describe('svc completion suggest', () => {
  it.each(readRows<'words' | 'expected'>('tests/cli/suggestions.tsv'))(
    'after $words: $expected',
    async ({ words, expected }) => {
      expect(await suggestions(words.split(' '))).toEqual(expected.split(' '));
    },
  );

  it('lists commands with descriptions, and hides the internal one', async () => {
    const { stdout } = await invoke(['completion', 'suggest', '--', ''], { environment });
    expect(stdout.toString()).toContain('\ntts\tSpeak a text.\n');
    expect(await suggestions(['completion', ''])).toEqual(expect.not.arrayContaining(['suggest']));
  });

  it('suggests existing voices and models', async () => {
    expect(await suggestions(['tts', '--voice', ''])).toEqual(['values', ...presets]);
    expect(existsSync(environment.SVC_SQLITE_PATH as string)).toBe(false);
    const store = await openSqliteVoiceStore(environment.SVC_SQLITE_PATH as string);
    const audio = { samples: new Float32Array(10), sampleRate: 16_000, channels: 1 };
    await store.put(
      { id: 'anna', text: 'Hi.', roles: ['prompt'], recording: audio, encodings: [], keepRecording: 'keep' },
      'create',
    );
    await store.close();
    expect(await suggestions(['tts', '--voice', ''])).toEqual(['values', 'anna', ...presets]);
    expect(await suggestions(['voices', 'remove', 'an'])).toEqual(['values', 'anna']);
    await mkdir(join(folder, 'cache', 'models'), { recursive: true });
    await writeFile(join(folder, 'cache', 'models', 'someone--speech-q8_0.gguf'), '');
    expect(await suggestions(['tts', '--model', 'some'])).toEqual(['values', 'someone/speech']);
  });

  it('has suggestions for every option and argument that takes a name', async () => {
    // Names that only the user knows.
    const free = ['--default-lora', '--default-model', '--file', '--model-name', '--queue', 'add name'];
    const unknown: string[] = [];
    const known: string[] = [];
    const look = (command: Command): void => {
      const parameters: readonly (Option | Argument)[] = [...command.options, ...command.registeredArguments];
      for (const parameter of parameters) {
        const isOption = 'flags' in parameter;
        const name = isOption ? (parameter.long ?? '') : `${command.name()} ${parameter.name()}`;
        const takesName = isOption ? /<(name|names)>/.test(parameter.flags) : parameter.name() === 'name';
        if (!takesName || free.includes(name)) continue;
        (suggestedValues(parameter) === undefined ? unknown : known).push(name);
      }
      command.commands.forEach(look);
    };
    look(await createProgram({} as Io));
    expect(unknown).toEqual([]);
    expect(known).toEqual(expect.arrayContaining(['--backend', '--log-level', '--steps', 'show name']));
  });
});

describe('svc completion', () => {
  it.each(shells)('prints the script for %s', async (shell) => {
    const { code, stdout } = await invoke(['completion', shell]);
    expect([code, stdout.toString()]).toEqual([0, completionScripts[shell]]);
  });

  it('completes in bash and never evaluates the input', async () => {
    const script = join(folder, 'completion.bash');
    await writeFile(script, completionScripts.bash);
    const evil = join(folder, 'evil');
    const steps = [
      `svc() { '${process.execPath}' '${svcProgram}' "$@"; }`,
      `source '${script}'`,
      'compopt() { :; }',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: of bash
      'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc_completion; echo "${COMPREPLY[*]}"; }',
      "try svc tts --type = 'q4'",
      "try svc tts --output ''",
      `try svc tts --text '$(touch ${evil})' '--no-sp'`,
      'complete -p svc',
    ];
    const output = await new Promise<string>((resolve, reject) => {
      execFile('bash', ['--norc', '-c', steps.join('\n')], (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    expect(output.split('\n')).toEqual([
      'q4_0 q4_k',
      '',
      '--no-split',
      'complete -o default -F _svc_completion svc',
      '',
    ]);
    expect(existsSync(evil)).toBe(false);
  });
});
