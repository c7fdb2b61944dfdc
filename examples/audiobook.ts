/**
 * Chapters of a book to an M4B file.
 *
 *     node --import tsx examples/audiobook.ts book.epub book.m4b 1-3
 */
import { chooseChapters, createEngine, createTaggedFile, listChapters, parseChapterNumbers, readBook } from 'voxcpm';

const [path = 'book.epub', output = 'book.m4b', numbers] = process.argv.slice(2);
const book = await readBook(path);
const all = listChapters(book).chapters;
const chosen = chooseChapters(all, {
  chapters: numbers === undefined ? undefined : parseChapterNumbers(numbers, 'numbers'),
});

await using engine = await createEngine();
const spoken: Float32Array[] = [];
const chapters: { title: string; start: number; end: number }[] = [];
let seconds = 0;
for (const { title, sections } of chosen) {
  const start = seconds;
  for (const { text, pauseSeconds } of sections) {
    const { samples, sampleRate } = await engine.synthesize({ text, inputFormat: 'ssml', seed: 7 });
    const pause = new Float32Array(Math.round(pauseSeconds * sampleRate));
    spoken.push(samples, pause);
    seconds += (samples.length + pause.length) / sampleRate;
  }
  chapters.push({ title, start, end: seconds });
}

const samples = spoken.reduce((sum, { length }) => sum + length, 0);
const sampleRate = engine.info.outputSampleRate;
const tags = { title: book.title, artist: book.author, chapters };
const file = await createTaggedFile(output, { format: 'mp4', sampleRate, samples, tags });
for (const piece of spoken) await file.write(piece);
await file.finish();
console.log(`${output}: ${chapters.length} of ${all.length} chapters`);
