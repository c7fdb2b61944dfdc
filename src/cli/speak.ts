/** The work of `svc tts` and `svc clone`: check, load, speak, report. */

import { realpath, stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import type { Attempt, Engine, SynthesizeOptions } from '../engine/engine.ts';
import { sectionLength } from '../engine/long-text/kept-sections.ts';
import { readScript } from '../engine/long-text/plan.ts';
import type { Recognize } from '../engine/recognize.ts';
import { ranges, type SynthesisRequest } from '../engine/request.ts';
import { detectFormat } from '../engine/script/parse-script.ts';
import { requireVisible } from '../engine/text/normalize.ts';
import type { TimedSentence } from '../engine/timing/timed-text.ts';
import { SvcError } from '../errors.ts';
import { quote } from '../messages.ts';
import { writeCaptions } from '../speech-files/captions-file.ts';
import { type Spoken, speakToFile } from '../speech-files/speak-to-file.ts';
import { type ScriptVoiceNames, scriptVoiceNames, withoutAudio } from '../voices/script-voices.ts';
import { isBook, refuseBookOptions } from './book/book-options.ts';
import { speakBook } from './book/speak-book.ts';
import type { Io } from './io.ts';
import { type ChosenLoras, chooseLoras, requireOne } from './model/lora-choice.ts';
import { chooseEngine } from './model/model-choice.ts';
import { partsAtOnce } from './model/parts-at-once.ts';
import { checkLive, liveText } from './options/live-input.ts';
import type { SpeakOptions } from './options/options.ts';
import { chooseRecognizer } from './options/recognizer.ts';
import { readFields, transcribePrompt } from './options/request-fields.ts';
import { inputFormatOf } from './options/script-options.ts';
import { readText, withArgument, withPromptFile } from './options/text-input.ts';
import {
  checkNamedVoices,
  checkVoice,
  loadNamedVoices,
  loadVoiceOption,
  voiceRevision,
} from './options/voice-choice.ts';
import { checkCaptions } from './output/captions.ts';
import { noteDemoModel } from './output/demo-note.ts';
import { printNote } from './output/messages.ts';
import { type Output, resolveOutput } from './output/output.ts';
import { createProgress } from './output/progress.ts';
import { noteQuality, plainQuality, qualitiesOf } from './output/recording-quality.ts';
import { round } from './output/round.ts';
import { createSpeechShare, estimatePatches } from './output/speech-progress.ts';
import { checkSink, openSink } from './output/speech-sink.ts';
import { formatRtf, formatSeconds } from './output/units.ts';
import { createWarner, type Warner, warningsBefore } from './output/warnings.ts';
import { createKeptParts } from './resume/kept-parts.ts';
import { hashRun } from './resume/run-hash.ts';
import { withWorkFolder } from './resume/with-work-folder.ts';
import { moveInPlace, partialOutput, type WorkFolder } from './resume/work-folder.ts';

interface Heard extends Spoken {
  /** Of an earlier run, before parts are joined. */
  readonly recalledSamples?: number;
  readonly firstAudioMilliseconds: number | undefined;
}

/** @throws SvcError; no output file is left then */
export async function speak(argument: string | undefined, given: SpeakOptions, io: Io): Promise<void> {
  const options = await withPromptFile(withArgument(argument, given), io);
  if (isBook(options)) return speakBook(options, io);
  refuseBookOptions(options);
  checkLive(options);
  requireOne(options);
  const output = await resolveOutput(options, io);
  await checkCaptions(options, output);
  await checkSink(output, options);
  await checkVoice(options, io);
  const recognize = await chooseRecognizer(options, io);
  const {
    request: requested,
    voices: names,
    warnings: early,
  } = await (options.live ? readLiveRequest(options, recognize, io) : readRequest(options, recognize, io));
  await checkNamedVoices(names, requested, options, io);
  const loras = await chooseLoras(options, io);
  const chosen = await chooseEngine(options, io);
  const started = performance.now();
  const plan = { options, output, requested, names, early, recognize, loras, chosen, started };
  const file = await resumableFile(output, requested.text, options);
  if (file === undefined) return speakRequest(plan, undefined, io);
  const revisions = await Promise.all(
    Object.entries(names).map(async ([name, voice]) => [name, voice, await voiceRevision(voice, options, io)]),
  );
  const { text: input, ...rest } = requested;
  const content = { input, modelPath: chosen.modelPath, fields: { ...rest, lora: loras.only }, loras };
  const hash = await hashRun(options, { ...content, settings: [options.captions !== undefined, revisions] }, io);
  const place = await realpath(file.path).catch(() => file.path);
  const resumable = {
    what: 'text' as const,
    workFolder: `${place}.unfinished`,
    output: file.path,
    hash,
    quiet: options.quiet,
  };
  await withWorkFolder(resumable, io, (work, locked) => speakRequest(plan, work, locked));
}

/** The output if what is finished is kept while it grows: of a file of text that takes minutes to speak. */
async function resumableFile(
  output: Output,
  text: string,
  { textFile, live, split }: SpeakOptions,
): Promise<FileOutput | undefined> {
  if (output.kind !== 'file' || textFile === undefined || live || split === false) return undefined;
  const existing = await stat(output.path).catch(() => undefined);
  // A pipe or device can't be repeated.
  return text.length > sectionLength && existing?.isFile() !== false ? output : undefined;
}

/** @param work keeps what is finished of a long text */
async function speakRequest(
  { options, output, requested, names, early, recognize, loras, chosen, started }: SpeakPlan,
  work: WorkFolder | undefined,
  io: Io,
): Promise<void> {
  // The parts of a long text share each pass over the weights, unless they are streamed.
  const maxBatch = output.kind === 'file' ? partsAtOnce : 1;
  const engine = await io.openEngine({ ...chosen, maxBatch }, { recognize, loras: loras.catalog });
  try {
    const loaded = performance.now();
    const { name, weightType, architecture, device } = engine.info;
    const model = `model ${name} (${architecture}, ${weightType})`;
    if (options.verbose) printNote(`loaded ${model} on ${device} in ${formatSeconds((loaded - started) / 1000)}`, io);
    noteDemoModel(engine.info, options, io);
    const voice = await loadVoiceOption(engine, options, io);
    // --seed overrides the seed of the voice.
    const { voices, warnings } = await loadNamedVoices(engine, names, requested, options, io);
    const chosenSeed = requested.seed ?? voice.request.seed;
    const seed = work === undefined ? chosenSeed : await work.seed(chosenSeed);
    const request = { ...requested, ...voice.request, voices, seed, lora: loras.only };
    const warner = createWarner(options, io);
    if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
      for (const [role, quality] of qualitiesOf(requested)) noteQuality(`${role} audio`, quality, io);
    }
    warner.report([...early, ...voice.warnings, ...warnings, ...warningsBefore(engine.info, request, options, output)]);
    const spoken =
      output.kind === 'file' && !options.live
        ? await speakToPath({ engine, request, warner, work }, output, options, io)
        : await speakToStream({ engine, request, warner, work }, output, options, io);
    report({ engine, request, spoken, warner, output }, performance.now() - loaded, options, io);
  } finally {
    await engine.close();
  }
}

interface Speaking {
  readonly engine: Engine;
  readonly request: SynthesisRequest;
  readonly warner: Warner;
  readonly work: WorkFolder | undefined;
}

type FileOutput = Extract<Output, { readonly kind: 'file' }>;

interface SpeakPlan {
  readonly options: SpeakOptions;
  readonly output: Output;
  readonly requested: SynthesisRequest;
  /** Names of stored voices by the names that a script uses. */
  readonly names: ScriptVoiceNames;
  /** Warnings so far. */
  readonly early: readonly string[];
  readonly recognize: Recognize | undefined;
  readonly loras: ChosenLoras;
  readonly chosen: Awaited<ReturnType<typeof chooseEngine>>;
  /** When the model began to load, in milliseconds. */
  readonly started: number;
}

const nothingSpoken = {
  samples: 0,
  patches: 0,
  parts: 0,
  sentences: [],
  tries: [],
  end: undefined,
  firstAudioMilliseconds: undefined,
} as const;

interface Requested {
  readonly request: SynthesisRequest;
  /** Names of stored voices by the names that a script uses. */
  readonly voices: ScriptVoiceNames;
  readonly warnings: readonly string[];
}

async function readRequest(options: SpeakOptions, recognize: Recognize | undefined, io: Io): Promise<Requested> {
  const { request: parsed, warnings } = await readFields(options, recognize, io);
  const text = await readText(options, io);
  requireVisible(text);
  const inputFormat = inputFormatOf(options);
  const voices = scriptVoiceNames(text, inputFormat, options.voices);
  // Mistakes in a script are found before a model is loaded.
  const { passages } = readScript({ ...parsed, inputFormat, text, voices: withoutAudio(voices) }).request;
  const spoken = new Set(passages.map(({ voice }) => voice));
  // SSML that names a voice which is not there is an error already.
  const listed = inputFormat === 'ssml' || detectFormat(text, []) === 'ssml' ? {} : (options.voices ?? {});
  const silent = Object.keys(listed).filter((name) => !spoken.has(name));
  const unused = silent.map((name) => `--voices names ${quote(name)}, who speaks no word of the text`);
  const request = await transcribePrompt({ ...parsed, inputFormat, text }, options, recognize, io);
  return { request, voices, warnings: [...warnings, ...unused] };
}

/** A request without its text. */
async function readLiveRequest(options: SpeakOptions, recognize: Recognize | undefined, io: Io): Promise<Requested> {
  const { request: parsed, warnings } = await readFields(options, recognize, io);
  const fields = { ...parsed, inputFormat: inputFormatOf(options), text: '' };
  return { request: await transcribePrompt(fields, options, recognize, io), voices: options.voices ?? {}, warnings };
}

/** As `speakToFile`, with a progress bar. */
async function speakToPath(
  { engine, request, warner, work }: Speaking,
  output: FileOutput,
  options: SpeakOptions,
  io: Io,
): Promise<Heard> {
  const progress = options.quiet ? undefined : createProgress(io.stderr);
  const started = performance.now();
  let firstAudioMilliseconds: number | undefined;
  const shareOf = createSpeechShare(estimatePatches(request.text, engine.info));
  const onProgress: SynthesizeOptions['onProgress'] = (report) => {
    const { parts, finished, attempt } = report;
    if (firstAudioMilliseconds === undefined && work?.isResumed && !options.quiet)
      printNote(`resuming: ${finished} of ${parts} parts are finished`, io);
    firstAudioMilliseconds ??= performance.now() - started;
    const detail = parts === 1 ? undefined : `${finished} of ${parts} parts`;
    progress?.update(attempt === 1 ? 'speaking' : `speaking, attempt ${attempt}`, shareOf(report), detail);
  };
  try {
    const timestamps = options.captions === undefined ? ('none' as const) : ('words' as const);
    const sections = work && createKeptParts(work);
    const file = { ...output, path: work?.path(partialOutput) ?? output.path, speed: options.speed };
    const speaking = {
      engine,
      request,
      output: file,
      timestamps,
      signal: io.signal,
      onProgress,
      onWarnings: warner.report,
      sections,
    };
    const spoken = await speakToFile(speaking);
    if (work !== undefined) await moveInPlace(file.path, output.path);
    await writeCaptions(spoken.sentences, options);
    await work?.discard();
    progress?.complete();
    return { ...spoken, firstAudioMilliseconds, recalledSamples: sections?.recalled() ?? 0 };
  } finally {
    progress?.stop();
  }
}

async function speakToStream(
  { engine, request, warner }: Speaking,
  output: Output,
  options: SpeakOptions,
  io: Io,
): Promise<Heard> {
  const started = performance.now();
  const timestamps = options.captions === undefined ? ('none' as const) : ('words' as const);
  const running = { signal: io.signal, timestamps };
  const stream = options.live
    ? engine.stream({ ...request, text: liveText(io) }, running)
    : engine.stream(request, running);
  const { warnings } = stream;
  warner.report(warnings);
  const sink = await openSink(output, stream.sampleRate, options, io);
  // Nobody knows how long a live text will be.
  const hasProgress = output.kind === 'loudspeaker' && !options.quiet && !options.live;
  const progress = hasProgress ? createProgress(io.stderr) : undefined;
  const shareOf = createSpeechShare(estimatePatches(request.text, engine.info));
  const timed: TimedSentence[] = [];
  let spoken: Heard = { ...nothingSpoken, sampleRate: stream.sampleRate, seed: stream.seed, warnings };
  try {
    for await (const { index, part, samples, sentences = [], end } of stream) {
      timed.push(...sentences);
      const firstAudioMilliseconds = spoken.firstAudioMilliseconds ?? performance.now() - started;
      progress?.update('speaking', shareOf({ part: 1, parts: 1, finished: 0, patches: index + 1 }));
      await sink.write(samples);
      const total = spoken.samples + samples.length;
      spoken = { ...spoken, samples: total, patches: index + 1, parts: part + 1, end, firstAudioMilliseconds };
    }
    progress?.complete();
    await sink.finish();
    await writeCaptions(timed, options);
  } catch (error) {
    await sink.abort();
    throw error;
  } finally {
    progress?.stop();
  }
  return spoken;
}

interface Outcome {
  readonly engine: Engine;
  readonly request: SynthesisRequest;
  readonly spoken: Heard;
  readonly warner: Warner;
  readonly output: Output;
}

function report(
  { engine, request, spoken, warner, output }: Outcome,
  milliseconds: number,
  options: SpeakOptions,
  io: Io,
): void {
  const { sampleRate, patches, seed, end, firstAudioMilliseconds } = spoken;
  const audioSeconds = spoken.samples / sampleRate / (options.speed ?? ranges.speed.default);
  // Of what this run has spoken.
  const ownSeconds = (spoken.samples - (spoken.recalledSamples ?? 0)) / sampleRate;
  const rtf = ownSeconds > 0 ? (milliseconds / 1000 / ownSeconds) * (options.speed ?? ranges.speed.default) : undefined;
  warner.report(spoken.warnings);
  if (end === 'limit') {
    const what =
      spoken.parts > 1
        ? 'a part of the speech reached its maximum length'
        : `the speech reached its maximum length of ${patches} patches`;
    warner.report([`${what} and may be cut off`]);
  }
  if (options.json) {
    const line = {
      audioSeconds: round(audioSeconds, 4),
      seconds: seconds(milliseconds),
      rtf: rtf === undefined ? null : round(rtf, 3),
      ttfaMs: firstAudioMilliseconds === undefined ? null : round(firstAudioMilliseconds, 1),
      patches,
      parts: spoken.parts,
      seed,
      sampleRate,
      model: engine.info.name,
      backend: engine.info.device,
      ...(options.checkWith !== undefined || spoken.tries.length > spoken.parts
        ? { attempts: spoken.tries.map(plainAttempt) }
        : {}),
      ...(options.promptAudio === undefined ? {} : { promptText: request.promptText }),
      ...Object.fromEntries(qualitiesOf(request).map(([role, quality]) => [`${role}Quality`, plainQuality(quality)])),
      warnings: warner.reported,
    };
    (output.kind === 'stream' ? io.stderr : io.stdout).write(`${JSON.stringify(line)}\n`);
  } else if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
    const times = `${formatSeconds(audioSeconds)} of speech in ${formatSeconds(milliseconds / 1000)}`;
    const summary = `${times}${rtf === undefined ? '' : ` (${formatRtf(rtf)})`}, seed ${seed}`;
    printNote(output.kind === 'file' ? `${output.path}: ${summary}` : summary, io);
  }
  if (spoken.tries.some(({ failure }) => failure !== undefined)) {
    throw new SvcError(
      'IO',
      `${output.kind === 'file' ? output.path : 'the speech'} was written, but the recognizer failed, so its words were not checked`,
    );
  }
}

/** An attempt for JSON, with null for what is not known. */
const plainAttempt = ({ part, seed, problem, wordErrorRate, transcript, failure }: Attempt): object => ({
  part,
  seed,
  problem: problem ?? null,
  wordErrorRate: wordErrorRate === undefined ? null : round(wordErrorRate, 4),
  transcript: transcript ?? null,
  failure: failure ?? null,
});

const seconds = (milliseconds: number): number => round(milliseconds / 1000, 3);
