/** Help fits a terminal of 80 columns. */
import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { shortHelp } from '../../src/cli/short-help.ts';
import { invoke } from './invoke.ts';

const helpOf = async (...command: string[]): Promise<string> =>
  (await invoke([...command, '--help', 'all'])).stdout.toString();

const optionsIn = (help: string): readonly string[] =>
  [...(help.split('\nExamples:')[0] ?? '').matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name = '']) => name);

const commandsIn = (help: string): readonly string[] =>
  [...(help.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z][\w-]*)/gm)].flatMap(([, name = '']) => name || []);

async function helpTexts(...command: string[]): Promise<readonly string[]> {
  const help = await helpOf(...command);
  const nested = commandsIn(help.split('\nExamples:')[0] ?? '').filter((name) => name !== 'help');
  return [help, ...(await Promise.all(nested.map((name) => helpTexts(...command, name)))).flat()];
}

describe('--help', () => {
  it('is at most 80 columns wide, for all commands', async () => {
    const texts = await helpTexts();
    expect(texts.length).toBeGreaterThan(15);
    const lines = texts.flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('puts a long option on a line of its own', async () => {
    expect(await helpOf('tts')).toContain(
      '\n  --retry-badcase-ratio-threshold <number>\n                                patches per text token',
    );
  });

  it('puts the options of a command without a group last, so that --help ends the list', async () => {
    for (const command of ['batch', 'clone', 'export', 'serve', 'tts', 'worker']) {
      const [options = ''] = (await helpOf(command)).split('\nExamples:');
      expect(options).toMatch(/\nOptions:\n {2}-h, --help .*\n.*\n?$/);
    }
  });

  it('is short for commands with many options, and --help all has every one', async () => {
    for (const command of (await createProgram({} as Io)).commands) {
      const name = command.name();
      const all = command.options.map(({ long }) => long as string);
      expect([name, all.length > 25]).toEqual([name, shortHelp[name] !== undefined]);
      if (shortHelp[name] === undefined) continue;
      const short = (await invoke([name, '-h'])).stdout.toString();
      const names = [...(shortHelp[name] as string).split(/\s+/).map((option) => `--${option}`), '--help'];
      expect(all).toEqual(expect.arrayContaining(names));
      expect(names.length).toBeLessThanOrEqual(25);
      // One long name of two is enough.
      const shown = optionsIn(short).map((option) => (option === '--cache-dir' ? '--voice-dir' : option));
      expect([...shown].sort()).toEqual([...names].sort());
      expect(short).toContain(`svc ${name} --help all`);
      expect(short).toContain('\nExamples:\n');
      expect(optionsIn(await helpOf(name))).toHaveLength(all.length);
    }
  });

  it('takes nothing but all', async () => {
    const { code, stdout, stderr } = await invoke(['tts', '--help', 'al']);
    expect([code, stdout.length, stderr]).toEqual([2, 0, 'svc: error: --help must be all, or nothing, got "al"\n']);
    expect((await invoke(['tts', '--help=all'])).stdout.toString()).toBe(await helpOf('tts'));
    const [short, topic] = [await invoke(['tts', '--help']), await invoke(['help', 'tts'])];
    expect(topic.stdout.toString()).toBe(short.stdout.toString());
    expect(topic.code).toBe(0);
  });

  it('writes defaults without quotes, after choices and ranges', async () => {
    for (const help of await helpTexts()) {
      const text = (help.split('\nExamples:')[0] ?? '').replace(/\s+/g, ' ');
      expect(text.match(/\(default: "[^)]*\)|\(default: [^)]*\) \((?:choices|-?\d)|\(default: \)/g)).toBeNull();
    }
  });

  it('groups the options of svc serve, the model first', async () => {
    const help = await helpOf('serve');
    const headings = [...(help.split('\nExamples:')[0] ?? '').matchAll(/^[A-Z][\w ]+:$/gm)].map(String);
    expect(headings).toEqual([
      'Model:',
      'Network:',
      'Access:',
      'Voices:',
      'Speech:',
      'Models in the browser:',
      'Broker:',
      'Process:',
      'Options:',
    ]);
    expect(help).toContain('\nModel:\n  --model <model> ');
  });
});
