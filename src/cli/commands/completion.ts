import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { listCache } from '../../hub/cache.ts';
import { knownModels } from '../../hub/source.ts';
import { completionScripts, type Shell, shells } from '../completion/scripts.ts';
import { type ListValues, suggest } from '../completion/suggest.ts';
import type { Io } from '../io.ts';
import { modelEnvironment } from '../model/model-environment.ts';
import { databaseUrl, openVoices, voiceStorePath } from '../options/voice-choice.ts';

const help = `
Examples:
  source <(svc completion bash)              # in ~/.bashrc
  source <(svc completion zsh)               # in ~/.zshrc, after compinit
  svc completion fish > ~/.config/fish/completions/svc.fish

Completes commands, options and their values, models, voices and files.`;

/** `svc completion`: shell completion scripts. */
export function completionCommand(io: Io): Command {
  const command = new Command('completion').addHelpText('after', help);
  for (const shell of shells) command.addCommand(scriptCommand(shell, io));
  return command.addCommand(suggestCommand(io), { hidden: true });
}

const scriptCommand = (shell: Shell, io: Io): Command =>
  new Command(shell)
    .description(`Print the completion script for ${shell}.`)
    .action(() => void io.stdout.write(completionScripts[shell]));

/** Called by the shells on every tab. */
const suggestCommand = (io: Io): Command =>
  new Command('suggest').argument('[words...]').action(async (words: readonly string[], _: object, self: Command) => {
    const program = self.parent?.parent;
    if (!program) return;
    const { kind, suggestions } = await suggest(program, words, listValues(io));
    const lines = suggestions.map(({ value, description }) => `${value}\t${description}`.trimEnd());
    io.stdout.write(`${[kind, ...lines].join('\n')}\n`);
  });

/** A tab never ends in an error: what can't be listed has no names. */
const listValues =
  (io: Io): ListValues =>
  async (values, given) => {
    if (typeof values !== 'string') return values;
    try {
      return values === 'models' ? await listModels(io) : await listVoices(given, io);
    } catch {
      return [];
    }
  };

async function listModels(io: Io): Promise<readonly string[]> {
  const cached = await listCache(modelEnvironment(io).cacheFolder);
  return [...new Set([...Object.keys(knownModels), ...cached.map(({ name }) => name)])];
}

async function listVoices({ voiceDir }: Readonly<Record<string, string>>, io: Io): Promise<readonly string[]> {
  const options = { voiceDir };
  const { listPresets, listRecordings } = await import('../../voices/recorded-voices.ts');
  const presets = await listPresets();
  const recordings = voiceDir === undefined ? [] : await listRecordings(voiceDir);
  // Completion creates no store.
  const exists = databaseUrl(io) !== undefined || existsSync(voiceStorePath(options, io));
  await using voices = openVoices(options, io);
  const stored = exists ? await (await voices.sources()).store.list() : [];
  return [...new Set([...stored, ...recordings, ...presets].map(({ id }) => id))];
}
