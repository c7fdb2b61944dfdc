/** Help fits a terminal of 80 columns. */
import { describe, expect, it } from '@jest/globals';
import { invoke } from './invoke.ts';

const helpOf = async (...command: string[]): Promise<string> =>
  (await invoke([...command, '--help'])).stdout.toString();

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
      '\n  --retry-badcase-ratio-threshold <number>\n                                patches per token',
    );
  });

  it('puts the options of a command without a group last, so that --help ends the list', async () => {
    for (const command of ['batch', 'clone', 'export', 'serve', 'tts', 'worker']) {
      const [options = ''] = (await helpOf(command)).split('\nExamples:');
      expect(options).toMatch(/\nOptions:\n {2}-h, --help +display help for command\n$/);
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
