import { Command, Option } from 'commander';
import { requestError } from '../../validation.ts';
import { suggesting } from '../completion/suggested.ts';
import type { Io } from '../io.ts';
import { speedOption } from '../options/output-options.ts';
import { bookReadingOptions } from '../options/speak-options.ts';
import { voiceDirOption } from '../options/speech-options.ts';

const examples = `
Examples:
  svc book check book.epub
  svc book check book.epub --voice alma --json
  svc book cast book.epub --suggest -o cast.yaml
  svc book cast book.epub --suggest --voices alma,bruno,celia
  svc book cast book.epub --cast cast.yaml
  svc tts --text-file book.epub --cast cast.yaml -o book.m4b

A cast is a file of YAML with the voices of narrator and characters, who
speaks which quotation, pronunciations and pauses. --suggest makes one from
quotation marks and the verbs beside them; correct it before you use it.`;

/** `svc book`: works on a book before it is spoken. */
export function bookCommand(io: Io): Command {
  const cast = new Command('cast')
    .description('Suggest voices for the characters of a book, or check a cast.')
    .argument('<book>', 'EPUB or other document')
    .addOption(new Option('--suggest', 'suggest who speaks each quotation').conflicts('cast'))
    .addOption(new Option('--cast <file>', 'cast to check: print who speaks how much'))
    .addOption(new Option('-o, --output <file>', 'file to write (default: standard output)').conflicts('cast'))
    .addOption(
      suggesting(
        new Option('--voices <names>', 'voices to suggest, the narrator first (default: all voices)')
          .conflicts('cast')
          .argParser(parseNames),
        'voices',
      ),
    );
  for (const option of [...bookReadingOptions(), voiceDirOption()]) cast.addOption(option);
  cast
    .addOption(new Option('--json', 'print one line of JSON'))
    .addOption(new Option('--quiet', 'hide warnings'))
    .action(async (path: string, options) => {
      const { runCast } = await import('../book/book-cast.ts');
      await runCast({ ...options, textFile: path }, io);
    });
  const check = new Command('check')
    .description('Report the length, languages, speakers and doubtful words of a book.')
    .argument('<book>', 'EPUB or other document');
  for (const option of [
    ...bookReadingOptions(),
    suggesting(new Option('--voice <name>', 'voice whose tempo the times are for'), 'voices'),
    voiceDirOption(),
    speedOption(),
  ])
    check.addOption(option);
  check
    .addOption(new Option('--json', 'print one line of JSON'))
    .addOption(new Option('--quiet', 'hide warnings'))
    .action(async (path: string, options) => {
      const { runCheck } = await import('../book/book-check.ts');
      await runCheck({ ...options, textFile: path }, io);
    });
  return new Command('book')
    .description('Prepare a book for speech.')
    .addHelpText('after', examples)
    .addCommand(check)
    .addCommand(cast);
}

function parseNames(text: string): readonly [string, ...string[]] {
  const names = text.split(',').map((name) => name.trim());
  const [first, ...others] = names;
  if (first === undefined || names.includes('')) throw requestError('--voices needs names such as alma,bruno');
  return [first, ...others];
}
