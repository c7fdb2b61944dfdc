/** Values that the types forbid, from programs in JavaScript. */
import { readdir } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { createTaggedFile, listChapters, readBook, readCaptions } from '../../src/index.ts';
import { sharedFolder } from '../support/test-folder.ts';

const folder = sharedFolder();
// Types are what is tested here.
const wrong = (value: unknown): never => value as never;
const tagged = (options: Parameters<typeof createTaggedFile>[1]) => createTaggedFile(`${folder}/x.mp3`, options);

it.each([
  ['a path', () => readBook(wrong(5)), 'the path of the book must be a string, got 5'],
  [
    'a kind of what is left out',
    () => readBook('book.epub', { keep: [wrong('nots')] }),
    'item 1 of keep must be one of notes, page-numbers, line-numbers, contents, index, copyright, hidden, readings, comments, changes, forms, pictures, surroundings, stamps, sounds, tags, got "nots"; did you mean "notes"?',
  ],
  [
    'the name of an option',
    () => readBook('book.epub', wrong({ chapterDept: 2 })),
    'unknown field "chapterDept" in the options of readBook; did you mean "chapterDepth"?',
  ],
  [
    'a book',
    async () => listChapters(wrong({})),
    'the book must be what readBook returns, got an object with 0 fields',
  ],
  ['captions', () => readCaptions(wrong(5)), 'the text of the captions must be a string, got 5'],
  ['options', () => tagged(wrong(undefined)), 'the options of createTaggedFile must be an object, got nothing'],
  [
    'a format',
    () => tagged({ format: wrong('mp2'), sampleRate: 16_000, samples: 1, tags: wrong({}) }),
    'format must be one of wav, flac, mp3, opus, ogg, aac, pcm, mp4, got "mp2"; did you mean "mp3"?',
  ],
])('%s that is none is an error in a line', async (_, call, message) => {
  await expect(call()).rejects.toMatchObject({ name: 'SvcError', code: 'INVALID_REQUEST', message });
  expect(await readdir(folder)).toEqual([]);
});
