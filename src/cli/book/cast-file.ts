/** The cast of a book as a file of YAML. */
import { writeFile } from 'node:fs/promises';
import type { Cast } from '../../book/cast.ts';
import { SvcError } from '../../errors.ts';
import { reasonOf } from '../../files/file-system.ts';
import { oneLine, quote } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { readTextFile } from '../options/text-input.ts';

/** @throws SvcError INVALID_REQUEST, with the line of what is no YAML */
export async function readCast(path: string, signal: AbortSignal): Promise<Cast> {
  const [text, { parseDocument }, { parseCast }] = await Promise.all([
    readTextFile(path, 'cast file', signal, 'text'),
    import('yaml'),
    import('../../book/cast.ts'),
  ]);
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw requestError(`${quote(path)} is not valid YAML: ${oneLine(error.message).split(':').slice(0, 2).join(':')}`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw requestError(`${quote(path)} is not valid YAML: ${reasonOf(cause)}`);
  }
  return parseCast(value ?? {}, path);
}

const about = ` Voices of a book, for svc tts --text-file BOOK --cast THIS-FILE.
 Correct the characters of the lines, and choose voices: svc voices list
 A line is found by the words with which its quotation begins, in order.
 Quotations without a line are spoken in the voice of "quotes".`;

/** With a line for each quotation. */
export async function castAsYaml(cast: Cast): Promise<string> {
  const { Document, isMap, isSeq } = await import('yaml');
  const document = new Document(cast);
  document.commentBefore = about;
  const chapters = document.get('chapters');
  for (const chapter of isSeq(chapters) ? chapters.items : []) {
    const lines = isMap(chapter) ? chapter.get('lines') : undefined;
    for (const line of isSeq(lines) ? lines.items : []) if (isMap(line)) line.flow = true;
  }
  return document.toString({ lineWidth: 0 });
}

/** @throws SvcError IO, CONFLICT for a file that exists: a person may have edited it */
export async function writeCast(cast: Cast, path: string): Promise<void> {
  const text = await castAsYaml(cast);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new SvcError('CONFLICT', `${quote(path)} exists; name another file, or delete it`, { cause });
    throw new SvcError('IO', `cannot write ${quote(path)}: ${reasonOf(cause)}`, { cause });
  }
}
