/** The work of `svc tts` and `svc clone`: check, load, speak, report. */
import { realpath, stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import type { Levels } from '../audio/analyze/levels.ts';
import { type Accepted, assertWords } from '../engine/accepted.ts';
import type { Attempt, Engine } from '../engine/engine.ts';
import type { LiveSpeech } from '../engine/live/live-request.ts';
import { sectionLength } from '../engine/long-text/kept-sections.ts';
import { type ParsedRequest, parseRequestText } from '../engine/parsed-request.ts';
import { readingFieldsOf } from '../engine/reading-fields.ts';
import type { Recognize } from '../engine/recognize.ts';
import type { RequestFields } from '../engine/request.ts';
import { detectFormat } from '../engine/script/parse-script.ts';
import type { SpeechSummary } from '../engine/speech.ts';
import { requireVisible } from '../engine/text/normalize.ts';
import { shifted } from '../engine/timing/timed-text.ts';
import { assertVoices } from '../engine/voice-fields.ts';
import { SvcError } from '../errors.ts';
import { inTurns } from '../event-loop.ts';
import { besidePath } from '../files/beside.ts';
import { quote } from '../messages.ts';
import { speakToSink } from '../speech-files/speak-to-sink.ts';
import { requestError } from '../validation.ts';
import { storedNames } from '../voices/script-voices.ts';
import { isBook, isTextForBookFile, refuseBookOptions } from './book/book-options.ts';
import type { Io } from './io.ts';
import { chooseLoras, requireOne } from './model/lora-choice.ts';
import { chooseEngine, partsAtOnce } from './model/model-choice.ts';
import { checkLive, liveText } from './options/live-input.ts';
import { chooseRecognizer } from './options/recognizer.ts';
import { readFields, transcribePrompt } from './options/request-fields.ts';
import type { SpeakOptions } from './options/speak-options.ts';
import { isSpokenDocument, readText, withArgument, withPromptFile } from './options/text-input.ts';
import {
  type CommandVoices,
  chooseNamedVoices,
  chooseVoiceOption,
  loadVoices,
  openVoices,
  voiceRevision,
} from './options/voice-choice.ts';
import { noteDemoModel } from './output/demo-note.ts';
import {
  checkLoudness,
  describeLevels,
  type FileLevels,
  fileLevels,
  loudnessWarnings,
  openLeveled,
  targetOf,
} from './output/loudness.ts';
import { printNote } from './output/messages.ts';
import { checkCaptions, type Output, resolveOutput } from './output/output.ts';
import { noteQuality, plainQuality, qualitiesOf } from './output/recording-quality.ts';
import { createSpeakingProgress } from './output/speech-progress.ts';
import { checkSink } from './output/speech-sink.ts';
import { formatRtf, formatSeconds, round } from './output/units.ts';
import { createWarner, type Warner, warningsBefore } from './output/warnings.ts';
import { createKeptParts } from './resume/kept-parts.ts';
import { hashRun } from './resume/run-hash.ts';
import { moveInPlace, partialOutput, type WorkFolder, withWorkFolder } from './resume/work-folder.ts';

/** `svc tts`. It rejects with an SvcError, and leaves no output file then. */
export async function speakText(argument: string | undefined, given: SpeakOptions, io: Io): Promise<void> {
  const options = await withPromptFile(withArgument(argument, given), io);
  if (options.showSpoken) return await showText(options, io);
  if (isBook(options)) return (await import('./book/speak-book.ts')).speakBook(options, io);
  if (isTextForBookFile(options)) return await speakTextAsBook(options, io);
  refuseBookOptions(isSpokenDocument(options) ? { ...options, keep: undefined, chapterDepth: undefined } : options);
  await using voices = openVoices(options, io);
  const plan = await planSpeech(options, voices, io);
  const { request, names, loras, chosen } = plan;
  const file = await resumableFile(plan.output, request, options);
  if (file === undefined || !('script' in request)) return await speakRequest(plan, undefined, io);
  const revisions = await Promise.all(
    Object.entries(names).map(async ([name, voice]) => [name, voice, await voiceRevision(voice, voices)]),
  );
  const { text: input, passages: _p, script: _s, voiceNames: _n, statedSeconds: _t, warnings: _w, ...fields } = request;
  const content = { input, modelPath: chosen.modelPath, fields: { ...fields, lora: loras.only }, loras, voices };
  const hash = await hashRun(options, { ...content, settings: [options.captions !== undefined, revisions] }, io);
  const place = await realpath(file.path).catch(() => file.path);
  const workFolder = besidePath(place, '.unfinished');
  const resumable = { what: 'text', workFolder, output: file.path, hash, quiet: options.quiet } as const;
  await withWorkFolder(resumable, io, (work, locked) => speakRequest(plan, work, locked));
}

type SpeakPlan = Awaited<ReturnType<typeof planSpeech>>;

/** Checks and reads all that needs no model. @throws SvcError */
async function planSpeech(options: SpeakOptions, voices: CommandVoices, io: Io) {
  checkLive(options);
  requireOne(options);
  const output = await resolveOutput(options, io);
  await checkCaptions(options, output);
  checkLoudness(options, output);
  await checkSink(output, options);
  const own = await chooseVoiceOption(options, voices);
  const recognize = await chooseRecognizer(options, io);
  const { request, names, warnings } = await readRequest(options, recognize, io);
  const named = await chooseNamedVoices(names, 'script' in request ? request : undefined, voices);
  const loras = await chooseLoras(options, io);
  const chosen = await chooseEngine(options, io);
  const started = performance.now();
  return { options, output, request, voices, own, names, named, warnings, recognize, loras, chosen, started };
}

/** Prints what the model gets of a text or book. */
async function showText(options: SpeakOptions, io: Io): Promise<void> {
  if (isBook(options)) return (await import('./book/show-book.ts')).showBook(options, io);
  const { openReader, refuseAudioOptions, showSpoken } = await import('./show-spoken.ts');
  refuseAudioOptions(options);
  const isDocument = isSpokenDocument(options);
  refuseBookOptions(isDocument ? { ...options, keep: undefined, chapterDepth: undefined } : options);
  await using voices = openVoices(options, io);
  const own = await chooseVoiceOption(options, voices);
  const { request, names, warnings } = await readRequest(options, await chooseRecognizer(options, io), io);
  if (!('script' in request)) return;
  const named = await chooseNamedVoices(names, request, voices);
  const reader = await openReader(await chooseEngine(options, io), io);
  const warner = createWarner(options, io);
  warner.report(warnings);
  const read = { ...request, ...readingFieldsOf(own, named) };
  await showSpoken(reader, read, isDocument ? 'passages' : 'request', { json: options.json, warner }, io);
}

/** A text in MP4, as a book of one chapter or, by its headings, of several. @throws SvcError INVALID_REQUEST for mark-up */
async function speakTextAsBook(options: SpeakOptions, io: Io): Promise<void> {
  const bookText = await readText(options, io);
  requireVisible(bookText);
  const { output = '' } = options;
  const format = options.inputFormat === 'plain' ? 'plain' : detectFormat(bookText, []);
  if (format === 'ssml')
    throw requestError(`--output ${quote(output)} holds plain text and books; for SSML, name a .wav or .mp3`);
  const { speakBook } = await import('./book/speak-book.ts');
  await speakBook({ ...options, text: undefined, inputFormat: undefined, textFile: output, bookText }, io);
}

/** The output if what is finished is kept while it grows: of a file of text that takes minutes to speak. */
async function resumableFile(
  output: Output,
  request: WrittenRequest,
  { textFile, split }: SpeakOptions,
): Promise<FileOutput | undefined> {
  if (output.kind !== 'file' || textFile === undefined || !('text' in request) || split === false) return undefined;
  const existing = await stat(output.path).catch(() => undefined);
  // A pipe or device can't be repeated.
  return request.text.length > sectionLength && existing?.isFile() !== false ? output : undefined;
}

/** @param work keeps what is finished of a long text */
async function speakRequest(
  { options, output, request: written, voices, own, named, warnings, recognize, loras, chosen, started }: SpeakPlan,
  work: WorkFolder | undefined,
  io: Io,
): Promise<void> {
  // The parts of a long text share each pass over the weights, unless they are streamed.
  const maxBatch = output.kind === 'file' ? partsAtOnce : 1;
  await using engine = await io.openEngine({ ...chosen, maxBatch }, { recognize, loras: loras.catalog });
  const loaded = performance.now();
  const { name, weightType, architecture, device } = engine.info;
  const model = `model ${name} (${architecture}, ${weightType})`;
  if (options.verbose) printNote(`loaded ${model} on ${device} in ${formatSeconds((loaded - started) / 1000)}`, io);
  noteDemoModel(engine.info, options, io);
  const voice = await loadVoices(engine, { own, named }, voices, io.signal);
  // --seed overrides the seed of the voice.
  const chosenSeed = written.seed ?? voice.request.seed;
  const seed = work === undefined ? chosenSeed : await work.seed(chosenSeed);
  const request = { ...written, ...voice.request, seed, lora: loras.only };
  const warner = createWarner(options, io);
  if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
    for (const [role, quality] of qualitiesOf(written)) noteQuality(`${role} audio`, quality, io);
  }
  warner.report([...warnings, ...voice.warnings, ...warningsBefore(engine.info, request, options, output)]);
  assertVoices(request);
  const speech = await accept(engine, request, io);
  warner.report(speech.warnings);
  const mayRetract = output.kind === 'file' && !options.live;
  const text = 'text' in request ? request.text : '';
  using progress = createSpeakingProgress(text, engine.info, { output, mayRetract, work }, options, io);
  const target = output.kind === 'file' && work !== undefined ? { ...output, path: work.path(partialOutput) } : output;
  const sections = work && createKeptParts(work);
  let levels: Levels | undefined;
  const spoken = await speakToSink({
    engine,
    speech,
    mayRetract,
    timestamps: options.captions === undefined ? 'none' : 'words',
    signal: io.signal,
    onProgress: progress.report,
    sections,
    open: (sampleRate) => openLeveled(target, sampleRate, options, (measured) => (levels = measured), io),
  });
  if (target.kind === 'file' && output.kind === 'file' && target !== output)
    await moveInPlace(target.path, output.path);
  if (options.captions !== undefined) {
    const { writeCaptions } = await import('../speech-files/captions-file.ts');
    const { headSilence = 0 } = options;
    const sentences = headSilence === 0 ? spoken.sentences : shifted(spoken.sentences, headSilence);
    await writeCaptions(sentences, options, io.stdout);
  }
  await work?.discard();
  progress.complete();
  progress.stop();
  const details = { recalledSamples: sections?.recalled() ?? 0, firstAudio: progress.firstAudio() };
  const outcome = { engine, request, spoken, ...details, levels: levels && fileLevels(levels), warner, output };
  report(outcome, performance.now() - loaded, options, io);
}

/** @throws SvcError INVALID_REQUEST */
async function accept(engine: Engine, request: WrittenRequest, io: Io): Promise<Accepted | LiveSpeech> {
  if (!('script' in request)) return { ...engine.acceptLive(request), text: liveText(io) };
  const accepted = await inTurns(engine.accept(request));
  assertWords(accepted, request);
  return accepted;
}

/** A request whose text was read, or one without a text, which is then still being written. */
type WrittenRequest = ParsedRequest | RequestFields;

type FileOutput = Extract<Output, { readonly kind: 'file' }>;

/** Also the names of stored voices by those that a script uses. Mistakes in it are found before a model is loaded. */
async function readRequest(options: SpeakOptions, recognize: Recognize | undefined, io: Io) {
  const { fields, warnings } = await readFields(options, recognize, io);
  const { voices: given = {} } = options;
  if (options.live) {
    const voices = Object.fromEntries(Object.keys(given).map((name) => [name, {}]));
    const request = { ...(await transcribePrompt(fields, options, recognize, io)), voices };
    return { request, names: given, warnings };
  }
  const text = await readText(options, io);
  requireVisible(text);
  const parsed = await inTurns(parseRequestText({ ...fields, text }, { listed: Object.keys(given), tags: 'followed' }));
  const spoken = new Set(parsed.passages.map(({ voice }) => voice));
  // SSML that names a voice which is not there is an error already.
  const isSsml = fields.inputFormat === 'ssml' || detectFormat(text, []) === 'ssml';
  const silent = isSsml ? [] : Object.keys(given).filter((name) => !spoken.has(name));
  const unused = silent.map((name) => `--voices names ${quote(name)}, who speaks no word of the text`);
  const request = { ...parsed, ...(await transcribePrompt(fields, options, recognize, io)) };
  return { request, names: storedNames(parsed, given), warnings: [...warnings, ...unused] };
}

interface Outcome {
  readonly engine: Engine;
  readonly request: WrittenRequest;
  readonly spoken: SpeechSummary;
  /** Samples of an earlier run, before parts are joined and their speed is changed. */
  readonly recalledSamples: number;
  readonly firstAudio: number | undefined;
  /** If its loudness was set. */
  readonly levels: FileLevels | undefined;
  readonly warner: Warner;
  readonly output: Output;
}

function report(
  { engine, request, spoken, recalledSamples, firstAudio, levels, warner, output }: Outcome,
  milliseconds: number,
  options: SpeakOptions,
  io: Io,
): void {
  const { sampleRate, patches, seed, end } = spoken;
  const { headSilence = 0, tailSilence = 0 } = options;
  const audioSeconds = headSilence + spoken.samples / sampleRate + tailSilence;
  // Only the audio that this run has generated.
  const ownSeconds = spoken.samples / sampleRate - recalledSamples / sampleRate / request.speed;
  const rtf = ownSeconds > 0 ? milliseconds / 1000 / ownSeconds : undefined;
  warner.report(spoken.warnings);
  const target = targetOf(options);
  const written = output.kind === 'file' ? output.path : 'the speech';
  if (levels !== undefined && target !== undefined) warner.report(loudnessWarnings(written, levels, target));
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
      seconds: round(milliseconds / 1000, 3),
      rtf: rtf === undefined ? null : round(rtf, 3),
      ttfaMs: firstAudio === undefined ? null : round(firstAudio, 1),
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
      ...(levels && { levels }),
      warnings: warner.reported,
    };
    (output.kind === 'stream' || options.captions === '-' ? io.stderr : io.stdout).write(`${JSON.stringify(line)}\n`);
  } else if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) {
    const times = `${formatSeconds(audioSeconds)} of speech in ${formatSeconds(milliseconds / 1000)}`;
    const summary = `${times}${rtf === undefined ? '' : ` (${formatRtf(rtf)})`}, seed ${seed}`;
    printNote(output.kind === 'file' ? `${output.path}: ${summary}` : summary, io);
    if (levels !== undefined) printNote(`${written}: ${describeLevels(levels)}`, io);
  }
  if (spoken.tries.some(({ failure }) => failure !== undefined)) {
    throw new SvcError(
      'IO',
      `${output.kind === 'file' ? output.path : 'the speech'} was written, but the recognizer failed, so its words were not checked`,
    );
  }
}

/** An attempt for JSON, with null for what is not known. */
function plainAttempt(attempt: Attempt): object {
  const { part, seed, problem = null, wordErrorRate: rate, transcript = null, failure = null } = attempt;
  return { part, seed, problem, wordErrorRate: rate === undefined ? null : round(rate, 4), transcript, failure };
}
