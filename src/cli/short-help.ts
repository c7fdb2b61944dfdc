/** `--help` of commands with many options lists those that most users need; `--help all` lists every one. */
import { type AddHelpTextContext, type Command, CommanderError, Help, type HelpConfiguration, Option } from 'commander';
import { SvcError } from '../errors.ts';
import { show } from '../messages.ts';
import { suggesting } from './completion/suggested.ts';

const speaking = 'voice model model-path backend threads response-format speed seed quiet';

/** Options that `--help` lists, by command, in any order. */
export const shortHelp: Readonly<Record<string, string>> = {
  tts: `text text-file live language normalize show-spoken voices control output play captions list chapters cast loudness ${speaking}`,
  clone: `text text-file show-spoken prompt-audio prompt-text reference-audio denoise output play ${speaking}`,
  dub: `captions voices max-speed tries output new-captions json voice model model-path backend
    threads response-format seed quiet`,
  batch: `input output-dir check show-spoken max-batch broker queue lora json ${speaking}`,
  serve: `model alias model-path backend threads lora host port wyoming api-key api-keys disable-auth cors-origin tls-cert
    tls-key voice-dir default-voice max-queue max-batch broker queue log-level`,
  mcp: `model alias model-path backend threads lora keep-alive root voice-dir default-voice check-with log-level`,
  bench: 'synthetic model-path model type backend threads batch text server streams json',
};

const namesOf = (command: Command): readonly string[] | undefined => shortHelp[command.name()]?.split(/\s+/);

const showsAll = (command: Command): boolean => namesOf(command) === undefined || command.opts().help === 'all';

const standard = Help.prototype;

/** Columns of the terms; a longer one has a line of its own. */
const termWidth = 28;

/** The layout of `--help`: wrapped to the terminal, also beside long options. */
export const helpLayout: HelpConfiguration = {
  visibleOptions(this: Help, command) {
    const options = standard.visibleOptions.call(this, command);
    const names = namesOf(command) ?? [];
    return showsAll(command)
      ? options
      : options.filter(({ long }) => long === '--help' || names.includes(`${long}`.slice(2)));
  },
  /** Commander would quote defaults and list presets. */
  optionDescription: ({ description, defaultValue, defaultValueDescription = String(defaultValue), required }) =>
    required && defaultValue !== undefined ? `${description} (default: ${defaultValueDescription})` : description,
  padWidth: (command, helper) => Math.min(termWidth, standard.padWidth(command, helper)),
  formatItem(this: Help, term, width, description, helper) {
    if (description === '' || helper.displayWidth(term) <= width)
      return standard.formatItem.call(this, term, width, description, helper);
    return `  ${term}\n${standard.formatItem.call(this, '', width, description, helper)}`;
  },
};

/** The end of the help: examples, and details that only the full help has. */
export const helpText =
  (examples: string, details: string) =>
  ({ command }: AddHelpTextContext): string =>
    showsAll(command) ? `${examples}\n${details}` : examples;

/** Lets `--help` of a command in the table take `all`. */
export function shortenHelp(command: Command): void {
  if (namesOf(command) === undefined) return;
  const path = `svc ${command.name()}`;
  const help = new Option('-h, --help [all]', `show this help; ${path} --help all lists all options`).argParser(
    (text) => {
      if (text === 'all') return text;
      throw new SvcError('INVALID_REQUEST', `--help must be all, or nothing, got ${show(text)}`);
    },
  );
  command
    .helpOption(false)
    .addOption(suggesting(help, ['all']))
    .on('option:help', () => {
      command.outputHelp();
      throw new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)');
    });
}
