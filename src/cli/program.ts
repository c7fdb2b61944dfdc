import { Command, CommanderError } from 'commander';
import { toSvcError } from '../errors.ts';
import { describeBuild, findPackage } from '../package/package-root.ts';
import { checkValues, findSubcommand, withDefaultCommand } from './arguments.ts';
import { type CommandEntry, commandTable, needs } from './command-table.ts';
import type { Io } from './io.ts';
import { printError, printNote } from './output/messages.ts';
import { clearStatus } from './output/status-line.ts';
import { helpLayout, shortenHelp } from './short-help.ts';
import { describeUsageError } from './usage-error.ts';

const examples = `
Examples:
  svc "Hello there."
  svc tts "Hello there." -o hello.wav
  svc serve
  svc tts --help

svc TEXT is short for svc tts TEXT; put a single word after --.`;

/** Runs a command line without the program's name. Resolves to the exit code; never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(await createProgram(io, (name) => needs(argv, name)), argv, io);
  } catch (error) {
    clearStatus(io.stderr);
    return reportFailure(error, argv.includes('--verbose') ? 'with stack' : 'one line', io);
  } finally {
    clearStatus(io.stderr);
  }
}

async function dispatch(program: Command, argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 2 && argv.includes('--version') && argv.includes('--json')) {
    io.stdout.write(`${JSON.stringify(describeBuild())}\n`);
    return 0;
  }
  const words = withDefaultCommand(program, argv);
  try {
    checkHelp(program, argv);
    checkValues(program, words);
    await program.parseAsync([...words], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    // `svc` alone: commander has printed the help to standard error.
    if (error.code !== 'commander.help') printError(describeUsageError(error, program, words), io);
    return 2;
  }
}

/** `svc help nosuch`: commander would print the help of all commands without an error. */
function checkHelp(command: Command, [first, ...rest]: readonly string[]): void {
  const [topic = 'help'] = rest;
  if (first !== 'help') {
    const nested = findSubcommand(command, first);
    if (nested !== undefined && nested.commands.length > 0) checkHelp(nested, rest);
  } else if (topic !== 'help' && !topic.startsWith('-') && findSubcommand(command, topic) === undefined) {
    command.error(`error: unknown command '${topic}'`, { code: 'commander.unknownCommand' });
  }
}

/** The program. @param isNeeded chooses commands; of the others, there is only what the list of commands shows */
export async function createProgram(io: Io, isNeeded: (name: string) => boolean = () => true): Promise<Command> {
  const program = new Command('svc')
    .description('Local text-to-speech and voice cloning with VoxCPM.')
    .version(findPackage().version)
    .addHelpText('after', examples)
    .exitOverride()
    .configureHelp(helpLayout)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // `run` reports errors.
      outputError: () => undefined,
    });
  for (const entry of commandTable) {
    const command = isNeeded(entry.name) ? await createCommand(entry, io) : outline(entry);
    program.addCommand(command.copyInheritedSettings(program));
    for (const nested of command.commands) nested.copyInheritedSettings(command);
  }
  return program;
}

async function createCommand({ description, load }: CommandEntry, io: Io): Promise<Command> {
  const command = (await load())(io).description(description);
  shortenHelp(command);
  return command;
}

function outline({ name, description, form }: CommandEntry): Command {
  const command = new Command(name).description(description);
  for (const word of form) {
    if (word === '[options]') command.option('--any');
    else command.argument(word);
  }
  return command;
}

function reportFailure(thrown: unknown, detail: 'one line' | 'with stack', io: Io): number {
  const error = toSvcError(thrown);
  // The reader of standard output has closed it, as in `svc tts --output - | head -c 100`: it has what it wanted.
  if (error.code === 'CANCELLED' && !io.signal.aborted) return 0;
  // Ctrl-C is no error.
  (error.code === 'CANCELLED' ? printNote : printError)(error.message, io);
  if (detail === 'with stack') {
    io.stderr.write(`${thrown instanceof Error ? thrown.stack : error.stack}\n`);
    if (error.cause instanceof Error && error.cause !== thrown) io.stderr.write(`caused by ${error.cause.stack}\n`);
  }
  return error.exitCode;
}
