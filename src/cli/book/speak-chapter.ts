/** Speaks a chapter, section by section; what is finished is kept. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { openEncoder } from '../../audio/encode/format.ts';
import { readPcmFile } from '../../audio/encode/pcm-file.ts';
import { createFileSink, through } from '../../audio/encode/sink.ts';
import type { Section, SpokenChapter } from '../../book/sections.ts';
import type { Engine } from '../../engine/engine.ts';
import { createJoiner } from '../../engine/long-text/join.ts';
import { parseRequestText } from '../../engine/parsed-request.ts';
import type { RequestFields } from '../../engine/request.ts';
import { shifted, type TimedSentence, timingMethods } from '../../engine/timing/timed-text.ts';
import { inTurns } from '../../event-loop.ts';
import { digestOfFile } from '../../files/hash-files.ts';
import { sanitizeLine } from '../../messages.ts';
import { speakToSink } from '../../speech-files/speak-to-sink.ts';
import type { Io } from '../io.ts';
import type { SpeakOptions } from '../options/speak-options.ts';
import { createSpeechShare, estimatePatches } from '../output/speech-progress.ts';
import { fileSize, textPrint, type WorkFolder } from '../resume/work-folder.ts';

const count = z.int().min(0);
const timedWord = z.object({ text: z.string(), start: z.number(), end: z.number() });
const timedSentence = timedWord.extend({
  words: z.array(timedWord).readonly(),
  method: z.enum(timingMethods),
  voice: z.string().optional(),
});

/** The audio of a section or a chapter, which is in a file of the same name. */
export const keptAudioSchema = z.object({
  /** Digest of its text; missing in what earlier programs have kept. */
  print: z.string().optional(),
  /** Digest of the bytes of its audio; SHA-256, hexadecimal. Missing in what earlier programs have kept. */
  hash: z.string().optional(),
  samples: count,
  patches: count,
  /** Parts that were spoken one by one. */
  parts: count,
  /** Whether a part reached its maximum length. */
  isCut: z.boolean(),
  /** With captions; in seconds from the beginning of the file. */
  sentences: z.array(timedSentence).readonly(),
  warnings: z.array(z.string().transform(sanitizeLine)).readonly(),
});
export interface KeptAudio extends Readonly<z.infer<typeof keptAudioSchema>> {}

export interface ChapterSpeaking {
  readonly engine: Engine;
  /** In the voice of the book, with its seed. */
  readonly request: RequestFields & { readonly seed: number };
  readonly work: WorkFolder;
  readonly options: SpeakOptions;
  /** From 1; each sounds different. */
  readonly take: number;
  /** Called with the number of characters that are spoken, of this chapter. */
  readonly onProgress: (characters: number) => void;
  /** Called with samples as they are spoken in this run. */
  readonly onSpoken: (samples: number) => void;
}

/** Name of a chapter's files in the work folder. */
export const chapterName = (index: number): string => `chapter-${String(index + 1).padStart(3, '0')}`;

/** Whether kept audio is that of a section or of a chapter, as far as that is known. */
export const isOf = ({ print }: KeptAudio, sections: readonly Section[]): boolean =>
  print === undefined || print === printOf(sections);

const printOf = (sections: readonly Section[]): string =>
  textPrint(sections.map(({ text, pauseSeconds }) => [text, pauseSeconds]));

/** @throws SvcError; finished sections stay */
export async function speakChapter(
  { sections }: SpokenChapter,
  index: number,
  speaking: ChapterSpeaking,
  io: Io,
): Promise<KeptAudio> {
  const { work, onProgress } = speaking;
  const name = chapterName(index);
  const done: Spoken[] = [];
  let characters = 0;
  for (const [number, section] of sections.entries()) {
    const file = `${name}-section-${String(number + 1).padStart(3, '0')}`;
    let spoken = await readSection(section, file, work);
    if (spoken === undefined) {
      const before = characters;
      const progress = (share: number): void => onProgress(before + share * section.characters);
      // Not of what an earlier run has spoken, which would make the rest look fast.
      progress(0);
      spoken = await speakSection(section, file, progress, speaking, io);
      await work.keep(file, spoken);
      progress(1);
    }
    done.push({ ...spoken, file });
    characters += section.characters;
  }
  const chapter = await joinSections(name, sections, done, speaking);
  await work.keep(name, chapter);
  await work.remove(done.flatMap(({ file }) => [pcm(file), `${file}.json`]));
  return chapter;
}

/** Name of the file of samples: raw, so that they can be read as a stream. */
export const pcm = (name: string): string => `${name}.pcm`;

async function readSection(section: Section, name: string, work: WorkFolder): Promise<KeptAudio | undefined> {
  const kept = await work.read(name, keptAudioSchema);
  return kept !== undefined && isOf(kept, [section]) && (await isWhole(kept, work.path(pcm(name)))) ? kept : undefined;
}

/** Whether a file of samples is as it was written, as far as that is known: a disk may have lost some of it. */
export async function isWhole({ samples, hash }: KeptAudio, path: string): Promise<boolean> {
  const size = await fileSize(path);
  if ((size ?? 0) !== samples * 2) return false;
  return hash === undefined || size === undefined || hash === (await digestOfFile(path));
}

async function speakSection(
  section: Section,
  name: string,
  onShare: (share: number) => void,
  { engine, request: book, work, options, take, onSpoken }: ChapterSpeaking,
  io: Io,
): Promise<KeptAudio> {
  const { text } = section;
  const print = printOf([section]);
  const seed = seedOf(book.seed, take === 1 ? name : `${name} take ${take}`);
  const request = { ...book, text, inputFormat: 'ssml' as const, seed };
  const speech = await inTurns(engine.accept(await inTurns(parseRequestText(request))));
  if (!speech.hasWords) return { print, samples: 0, patches: 0, parts: 0, isCut: false, sentences: [], warnings: [] };
  const path = work.path(pcm(name));
  const shareOf = createSpeechShare(estimatePatches(text, engine.info));
  let file: HashedPcmFile | undefined;
  const spoken = await speakToSink({
    engine,
    speech,
    mayRetract: true,
    open: async (sampleRate) => {
      file = await createHashedPcmFile(path, sampleRate);
      return file;
    },
    timestamps: options.captions === undefined ? 'none' : 'words',
    signal: io.signal,
    onProgress: (report) => onShare(shareOf(report)),
  });
  const { patches, parts, end, sentences, warnings } = spoken;
  const samples = file?.samples() ?? 0;
  onSpoken(samples);
  return { print, hash: file?.digest(), samples, patches, parts, isCut: end === 'limit', sentences, warnings };
}

/** Sections are far apart: in a text of many parts, seeds follow each other by a constant. */
const seedOf = (seed: number, name: string): number =>
  createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0);

type Spoken = KeptAudio & { readonly file: string };

/** Joins the sections of a chapter as the engine joins the parts of a text. */
async function joinSections(
  name: string,
  sections: readonly Section[],
  done: readonly Spoken[],
  { engine, work, options: { speed = 1 } }: ChapterSpeaking,
): Promise<KeptAudio> {
  const sampleRate = engine.info.outputSampleRate;
  const joiner = createJoiner(sampleRate);
  const file = await createHashedPcmFile(work.path(pcm(name)), sampleRate);
  const sentences: TimedSentence[] = [];
  try {
    for (const [number, section] of done.entries()) {
      if (section.samples === 0) continue;
      for await (const piece of readPcmFile(work.path(pcm(section.file)))) await file.write(joiner.push(piece));
      joiner.pause((sections[number]?.pauseSeconds ?? 0) / speed);
      const start = joiner.partStart();
      // A section without sound is in the silence between the others.
      if (start !== undefined) sentences.push(...shifted(section.sentences, start / sampleRate));
    }
    await file.write(joiner.end());
    await file.finish();
  } catch (error) {
    await file.abort();
    throw error;
  }
  return {
    print: printOf(sections),
    hash: file.digest(),
    samples: file.samples(),
    patches: sum(done, ({ patches }) => patches),
    parts: sum(done, ({ parts }) => parts),
    isCut: done.some(({ isCut }) => isCut),
    sentences,
    warnings: [...new Set(done.flatMap(({ warnings }) => warnings))],
  };
}

const sum = <Item>(items: readonly Item[], measure: (item: Item) => number): number =>
  items.reduce((total, item) => total + measure(item), 0);

type HashedPcmFile = Awaited<ReturnType<typeof createHashedPcmFile>>;

/** 16 bits a sample. @throws SvcError as `createFileSink` */
async function createHashedPcmFile(path: string, sampleRate: number) {
  const encoder = await openEncoder({ format: 'pcm', sampleFormat: 's16', sampleRate });
  const file = await createFileSink(path);
  const hash = createHash('sha256');
  let size = 0;
  const sink = through(encoder, {
    ...file,
    async write(encoded) {
      for (const { bytes } of encoded) {
        hash.update(bytes);
        size += bytes.length;
      }
      await file.write(encoded);
    },
  });
  return {
    ...sink,
    /** SHA-256 of its bytes, hexadecimal. To be called once, when the file is complete. */
    digest: () => hash.digest('hex'),
    samples: () => size / 2,
  };
}
