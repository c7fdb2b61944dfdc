import { type Command, Option } from 'commander';
import { requestError } from '../../validation.ts';
import { suggesting } from '../completion/suggested.ts';
import type { Io } from '../io.ts';
import { commandWith } from '../options/option-values.ts';
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
  const results = ['--json: print one line of JSON', '--quiet: hide warnings'];
  const names = new Option('--voices <names>', 'voices to suggest, the narrator first (default: all voices)');
  const cast = commandWith('cast', '', [
    new Option('--suggest', 'suggest who speaks each quotation').conflicts('cast'),
    '--cast <file>: cast to check: print who speaks how much',
    new Option('-o, --output <file>', 'file to write (default: standard output)').conflicts('cast'),
    suggesting(names.conflicts('cast').argParser(parseNames), 'voices'),
    ...[...bookReadingOptions(), voiceDirOption(), ...results],
  ])
    .description('Suggest voices for the characters of a book, or check a cast.')
    .argument('<book>', 'EPUB or other document')
    .action(async (textFile: string, options) =>
      (await import('../book/book-cast.ts')).runCast({ ...options, textFile }, io),
    );
  const check = commandWith('check', '', [
    ...bookReadingOptions(),
    suggesting(new Option('--voice <name>', 'voice whose tempo the times are for'), 'voices'),
    ...[voiceDirOption(), speedOption(), ...results],
  ])
    .description('Report the length, languages, speakers and doubtful words of a book.')
    .argument('<book>', 'EPUB or other document')
    .action(async (textFile: string, options) =>
      (await import('../book/book-check.ts')).runCheck({ ...options, textFile }, io),
    );
  return commandWith('book', examples, []).addCommand(check).addCommand(cast);
}

function parseNames(text: string): readonly [string, ...string[]] {
  const names = text.split(',').map((name) => name.trim());
  const [first, ...others] = names;
  if (first === undefined || names.includes('')) throw requestError('--voices needs names such as alma,bruno');
  return [first, ...others];
}
