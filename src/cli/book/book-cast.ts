/** The work of `svc book cast`: suggests the cast of a book, or checks one. */
import { suggestCastOf } from '../../book/read-book.ts';
import { requestError } from '../../validation.ts';
import type { Io } from '../io.ts';
import { chooseVoiceOption, listVoices, openVoices } from '../options/voice-choice.ts';
import { printJson } from '../output/messages.ts';
import { requireFolderFor } from '../output/output.ts';
import { createWarner } from '../output/warnings.ts';
import type { BookOptions } from './book-options.ts';
import { checkBookFile, readBook, readCast, readingOf, writeCast } from './read-book.ts';
import { chooseBookVoices } from './voiced-book.ts';

type CastOptions = Pick<
  BookOptions,
  'textFile' | 'cast' | 'output' | 'chapterDepth' | 'keep' | 'voiceDir' | 'json' | 'quiet'
> & {
  readonly suggest?: boolean | undefined;
  readonly voices?: readonly [string, ...string[]] | undefined;
};

/** @throws SvcError */
export async function runCast(options: CastOptions, io: Io): Promise<void> {
  if (options.suggest) return suggest(options, io);
  if (options.cast === undefined)
    throw requestError('svc book cast needs --suggest to make a cast, or --cast with one to check');
  return check({ ...options, cast: options.cast }, io);
}

async function suggest({ voices: named, output, ...options }: CastOptions, io: Io): Promise<void> {
  if (output !== undefined) await requireFolderFor(output, '--output');
  await using voices = openVoices(options, io);
  const names = named ?? (await allVoices(voices));
  for (const voice of named ?? []) await chooseVoiceOption({ voice }, voices);
  await checkBookFile(options);
  const suggestion = async (format: 'yaml' | 'json'): Promise<string> => {
    const wanted = { voices: names, format };
    const { text, warnings } = await suggestCastOf(options.textFile, readingOf(options), wanted, io.signal);
    warner.report(warnings);
    return text;
  };
  const warner = createWarner(options, io);
  if (options.json) io.stdout.write(`${await suggestion('json')}\n`);
  else if (output === undefined) io.stdout.write(await suggestion('yaml'));
  if (output !== undefined) await writeCast(await suggestion('yaml'), output);
}

async function allVoices(voices: ReturnType<typeof openVoices>): Promise<readonly [string, ...string[]]> {
  const { stored, recorded } = await listVoices(voices);
  const [first = 'default', ...others] = [...stored, ...recorded].map(({ id }) => id);
  return [first, ...others];
}

/** Prints who speaks how much. */
async function check({ cast: path, ...options }: CastOptions & { readonly cast: string }, io: Io): Promise<void> {
  const castFile = await readCast(path, io.signal);
  const { cast } = castFile;
  await using voices = openVoices(options, io);
  const { narrator, quotes } = cast.voices ?? {};
  if (narrator !== undefined) await chooseVoiceOption({ voice: narrator, voices: {} }, voices);
  const warner = createWarner(options, io);
  const voiced = await readBook({ ...options, voices: undefined }, castFile, warner, io.signal);
  await chooseBookVoices(voiced, voices);
  const characters = Object.entries({ ...cast.characters, ...(quotes !== undefined && { quotes }) }).map(
    ([name, voice]) => {
      const { quotations = 0, characters: length = 0 } = voiced.spoken.get(name) ?? {};
      return { name, voice, quotations, characters: length };
    },
  );
  const all = voiced.chapters.reduce((sum, chapter) => sum + chapter.characters, 0);
  const quoted = characters.reduce((sum, { characters: length }) => sum + length, 0);
  const rows = [...characters, { name: 'narrator', voice: narrator ?? null, quotations: 0, characters: all - quoted }];
  if (options.json) return printJson({ cast: rows, warnings: warner.reported }, io);
  const lines = [
    ['quotations', 'characters', 'voice', 'name'],
    ...rows.map((row) => [String(row.quotations), String(row.characters), row.voice ?? '-', row.name]),
  ];
  const width = Math.max(...lines.map(([, , voice = '']) => voice.length));
  for (const [quotations = '', length = '', voice = '', name = ''] of lines)
    io.stdout.write(`${quotations.padStart(10)}  ${length.padStart(10)}  ${voice.padEnd(width)}  ${name}\n`);
}
