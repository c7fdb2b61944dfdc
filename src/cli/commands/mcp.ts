import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { show } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import type { ServingOptions } from '../model/serving.ts';
import { setFromEnvironment } from '../options/environment-variables.ts';
import { commandWith, grouped, repeated } from '../options/option-values.ts';
import { checkWithOption } from '../options/recognizer.ts';
import { type LogOptions, logOptions } from '../options/service-options.ts';
import { servingOptions } from '../options/serving-options.ts';
import { openLog } from '../output/logger.ts';
import { helpText } from '../short-help.ts';

interface McpOptions extends ServingOptions, LogOptions {
  readonly root?: readonly string[];
}

const examples = `
Examples:
  svc mcp
  svc mcp --model voxcpm-2 --root ~/speech
  claude mcp add svc -- svc mcp --model voxcpm-0.5b`;

const details = `
Agents start this command themselves; docs/mcp.md has the configurations of
known clients. It speaks the Model Context Protocol over standard input and
output, and ends with its client. svc serve has the same tools at /mcp.

Agents may name files below the roots that their client grants, and in the
folders of --root; other files can't be read or written. No file is replaced.

Without --keep-alive, a model is loaded by the first call that needs it and
unloaded after ten idle minutes.`;

/** An idle client, such as an editor that is always open, holds no model. */
const keepAlive = 600_000;

/** `svc mcp`: the MCP server. */
export function mcpCommand(io: Io): Command {
  const shared = servingOptions();
  const command = commandWith('mcp', helpText(examples, details), [
    ...shared.models,
    ...grouped('Files:', [
      new Option(
        '--root <folder>',
        'folder whose files agents may name, besides the roots of their client; may be repeated',
      ).argParser(repeated),
    ]),
    ...shared.voices,
    ...shared.speech,
    ...grouped('Speech:', [
      checkWithOption('recognizer for the tool transcribe_check, and to transcribe recordings of voices'),
    ]),
    ...shared.broker,
    // Clients show what is written to standard error, some of them as errors.
    ...grouped('Process:', logOptions('warn')),
  ]);
  return command.action(() => {
    setFromEnvironment(command, io);
    return serve(command.opts<McpOptions>(), io);
  });
}

/** Agents would get errors that their files are outside. @throws SvcError INVALID_REQUEST */
async function checkFolder(folder: string): Promise<string> {
  const path = resolve(folder);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  const remedy = folder.startsWith('~') ? '; only a shell expands ~' : '';
  throw requestError(`--root ${show(folder)} is not a folder${remedy}`);
}

async function serve(options: McpOptions, io: Io): Promise<void> {
  const { logger } = await openLog(options, io);
  const folders = await Promise.all((options.root ?? []).map(checkFolder));
  const { chooseServing } = await import('../model/serving.ts');
  const openSpeech = await chooseServing({ keepAlive, ...options }, io, logger);
  const [{ createContext }, { serveStdio }] = await Promise.all([
    import('../../server/create-context.ts'),
    import('../../server/mcp/serve-stdio.ts'),
  ]);
  await using serving = await openSpeech();
  const context = await createContext({
    ...serving,
    settings: {
      ...serving.settings,
      ...{ lists: 'private', hosts: 'loopback', corsOrigins: [], trustProxy: false },
      ...{ sseDialect: 'public', pcmRate: 'model' },
    },
    openPlayer: io.loudspeaker.open,
    listing: 'list_voices',
    signal: io.signal,
  });
  let found: Promise<boolean> | undefined;
  /** Looked for once, and only by a call that may need it. */
  const playsByDefault = (): Promise<boolean> => {
    found ??= io.loudspeaker.find().then(({ status }) => status === 'ok');
    return found;
  };
  try {
    const { stdin, stdout, signal } = io;
    await serveStdio(context, { stdin, stdout, signal, local: { folders, playsByDefault } });
  } finally {
    await context.encoders.close();
  }
}
