import { Command, CommanderError } from 'commander';
import { toSvcError } from '../errors.ts';
import { findPackage } from '../package-root.ts';
import { batchCommand } from './commands/batch.ts';
import { benchCommand } from './commands/bench.ts';
import { cloneCommand } from './commands/clone.ts';
import { completionCommand } from './commands/completion.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { inspectCommand } from './commands/inspect.ts';
import { modelsCommand } from './commands/models.ts';
import { serveCommand } from './commands/serve.ts';
import { ttsCommand } from './commands/tts.ts';
import { voicesCommand } from './commands/voices.ts';
import { workerCommand } from './commands/worker.ts';
import type { Io } from './io.ts';

const examples = `
Examples:
  svc tts --text "Hello there." --output hello.wav
  svc clone --help`;

/** Runs one command line, program name not included; resolves to the exit code. Never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    const program = createProgram(io);
    checkHelp(program, argv);
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(error, io);
    return reportFailure(error, argv.includes('--verbose') ? 'with stack' : 'one line', io);
  }
}

/** `svc help nosuch`: commander would print the help of all commands, and not a word about the mistake. */
function checkHelp(command: Command, [first, ...rest]: readonly string[]): void {
  const find = (name: string | undefined): Command | undefined => command.commands.find((one) => one.name() === name);
  const [topic = 'help'] = rest;
  if (first !== 'help') {
    const nested = find(first);
    if (nested !== undefined && nested.commands.length > 0) checkHelp(nested, rest);
  } else if (topic !== 'help' && !topic.startsWith('-') && find(topic) === undefined) {
    command.error(`error: unknown command '${topic}'`, { code: 'commander.unknownCommand' });
  }
}

/** All commands. */
export function createProgram(io: Io): Command {
  const program = new Command('svc')
    .description('Local text-to-speech and voice cloning with VoxCPM.')
    .version(findPackage().version)
    .addHelpText('after', examples)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Reported with all other failures, by `run`.
      outputError: () => undefined,
    });
  const commands = [
    ttsCommand,
    cloneCommand,
    batchCommand,
    serveCommand,
    workerCommand,
    exportCommand,
    inspectCommand,
    modelsCommand,
    voicesCommand,
    benchCommand,
    doctorCommand,
    completionCommand,
  ];
  for (const command of commands.map((create) => create(io))) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const nested of command.commands) nested.copyInheritedSettings(command);
  }
  return program;
}

function reportUsage({ code, exitCode, message }: CommanderError, io: Io): number {
  if (exitCode === 0) return 0;
  // `svc` alone: commander has printed the help to standard error.
  if (code !== 'commander.help') printLine(message.replace(/^error: /, ''), io);
  return 2;
}

function reportFailure(thrown: unknown, detail: 'one line' | 'with stack', io: Io): number {
  const error = toSvcError(thrown);
  // Not by us: the reader of standard output has gone, as in `svc tts --output - | head -c 100`. It has what it wanted.
  if (error.code === 'CANCELLED' && !io.signal.aborted) return 0;
  printLine(error.message, io);
  if (detail === 'with stack') {
    io.stderr.write(`${thrown instanceof Error ? thrown.stack : error.stack}\n`);
    if (error.cause instanceof Error && error.cause !== thrown) io.stderr.write(`caused by ${error.cause.stack}\n`);
  }
  return error.exitCode;
}

const printLine = (message: string, io: Io): void =>
  void io.stderr.write(`svc: ${message.replace(/\s*[\r\n]+\s*/g, ' ').trim()}\n`);
