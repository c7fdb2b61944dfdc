/** The thread of books: does one job at a time. `book-thread.ts` terminates it when it is canceled, or takes too long. */
import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { plainError } from '../errors.ts';
import { type BookJob, type BookJobs, type BookReply, type BookResult, itemsOf } from './book-jobs.ts';
import { readDocument, readText } from './read-document.ts';

/** Items that are received in a few milliseconds. */
const itemsAtOnce = 4_000;

type Run<Kind extends keyof BookJobs> = (given: BookJobs[Kind]['given']) => Promise<BookResult<Kind>>;

const run: { readonly [Kind in keyof BookJobs]: Run<Kind> } = {
  async read({ path, options }) {
    const { chapters, ...rest } = await readDocument(path, options);
    return { items: itemsOf(chapters), rest };
  },
  async list({ path, options }) {
    const { listChapters } = await import('./list-chapters.ts');
    const { chapters, ...rest } = await readDocument(path, options);
    return { items: listChapters({ chapters }).chapters, rest };
  },
  async voice({ path, text, options, voicing }) {
    const { voiceBook } = await import('./voice-book.ts');
    const { chapters: read, ...book } =
      text === undefined ? await readDocument(path, options) : await readText(text, path, options);
    const { chapters, ...voiced } = voiceBook(read, path, voicing);
    return { items: chapters, rest: { ...voiced, book, written: JSON.stringify(read) } };
  },
  async suggest({ path, options, voices, format }) {
    const [{ suggestCast }, { castAsYaml }, { withWords }] = await Promise.all([
      import('./suggest-cast.ts'),
      import('./cast-document.ts'),
      import('./voice-book.ts'),
    ]);
    const { chapters, warnings } = await readDocument(path, options);
    const cast = suggestCast(withWords(chapters), voices);
    return { items: [], rest: { text: format === 'json' ? JSON.stringify(cast) : castAsYaml(cast), warnings } };
  },
  async check({ path, options }) {
    const { checkBook } = await import('./check-book.ts');
    const { chapters, ...book } = await readDocument(path, options);
    return { items: [], rest: { book, check: checkBook(chapters, book.language) } };
  },
  async cast({ text, path }) {
    const { readCastDocument } = await import('./cast-document.ts');
    return { items: [], rest: await readCastDocument(text, path) };
  },
};

const reply = (message: BookReply): void => parentPort?.postMessage(message);

async function work({ kind, ...given }: BookJob): Promise<void> {
  try {
    const { items, rest } = await (run[kind] as (given: unknown) => Promise<BookResult<keyof BookJobs>>)(given);
    for (let from = 0; from < items.length; from += itemsAtOnce) {
      reply({ kind: 'items', items: items.slice(from, from + itemsAtOnce) });
      if (parentPort) await once(parentPort, 'message');
    }
    reply({ kind: 'end', rest });
  } catch (thrown) {
    reply({ kind: 'error', error: plainError(thrown) });
  }
}

let isWorking = false;
parentPort?.on('message', async (job: BookJob | 'next') => {
  if (isWorking || job === 'next') return;
  isWorking = true;
  await work(job);
  isWorking = false;
});
reply({ kind: 'ready' });
