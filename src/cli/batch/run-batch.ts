/** The work of `svc batch`: survey the lines, then speak those whose audio is missing. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readAudioFile } from '../../audio/decode/read-audio.ts';
import { followSignal } from '../../cancellation.ts';
import type { Recognize } from '../../engine/recognize.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { isObjectUrl } from '../../speech-files/object-store.ts';
import type { Io } from '../io.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { readLexicons } from '../options/script-options.ts';
import { withPromptFile } from '../options/text-input.ts';
import { type CommandVoices, openVoices, voiceRevision } from '../options/voice-choice.ts';
import { noteDemoModel } from '../output/demo-note.ts';
import { printNote, printWarning } from '../output/messages.ts';
import { checkSampleFormat } from '../output/output.ts';
import { checkSink } from '../output/speech-sink.ts';
import { formatSeconds } from '../output/units.ts';
import { isDenoiseUnused, unusedDenoise } from '../output/warnings.ts';
import { type BatchOptions, defaultsOf } from './batch-options.ts';
import { runInFlight } from './in-flight.ts';
import { type BatchInput, openInput } from './input.ts';
import { type Manifest, openManifest } from './manifest.ts';
import { copyManifest } from './manifest-copy.ts';
import { choosePlace, type OutputPlace, withPlace } from './output-place.ts';
import { createRecordHash, type HashRecord } from './record-hash.ts';
import { type BatchSpeech, chooseBatchSpeech } from './speech.ts';
import { createStudio, type Studio } from './studio.ts';
import { createTally, type Tally } from './tally.ts';
import {
  type BrokenLine,
  detectFormat,
  readUtterances,
  type Survey,
  surveyInput,
  type Utterance,
  type UtteranceOptions,
} from './utterances.ts';

/**
 * Generates the missing audio. A line that fails doesn't affect the others; a full disk or a cancellation ends the run,
 * and running the command again resumes it.
 *
 * @throws SvcError with the code of the failed lines if they have one in common, else INTERNAL
 */
export async function runBatch(given: BatchOptions, io: Io): Promise<void> {
  checkSampleFormat(given);
  const options = await withPromptFile(given, io);
  if (options.check) {
    const { checkBatch } = await import('./check-batch.ts');
    return checkBatch(options, io);
  }
  const place = await choosePlace(options, io);
  await using input = await openInput(options.input, io);
  const inputFormat = options.inputFormat ?? (await detectFormat(input));
  const recognize = await chooseRecognizer(options, io);
  const transcript = recognize === undefined ? ('given' as const) : ('follows' as const);
  const reading = { inputFormat, defaults: defaultsOf(options), transcript };
  await using voices = openVoices(options, io);
  // What all lines would lack ends the batch before any of them.
  await checkDefaults(options, voices, io);
  const survey = await surveyInput(input, reading);
  for (const format of survey.formats) {
    await checkSink({ kind: 'stream', format, sampleFormat: 's16' }, options);
  }
  await using speech = await chooseBatchSpeech({ options, survey, place, recognize }, io);
  const note = (message: string): void => void (options.quiet || printNote(message, io));
  await withPlace(place, { signal: io.signal, note }, (signal) =>
    speakAll({ place, input, reading, survey, speech, voices, options, recognize }, { ...io, signal }),
  );
}

/** What the options name for all lines. @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
async function checkDefaults(options: BatchOptions, voices: CommandVoices, io: Io): Promise<void> {
  const { voice, voices: named = {}, promptAudio, referenceAudio } = options;
  const names = [...(voice === undefined ? [] : [voice]), ...Object.values(named)];
  for (const name of new Set(names)) await voiceRevision(name, voices);
  for (const path of [promptAudio, referenceAudio]) if (path !== undefined) await readAudioFile(path, io);
  await readLexicons(options, io);
}

interface Run {
  readonly place: OutputPlace;
  readonly input: BatchInput;
  readonly reading: UtteranceOptions;
  readonly survey: Survey;
  readonly speech: BatchSpeech;
  readonly voices: CommandVoices;
  readonly options: BatchOptions;
  readonly recognize: Recognize | undefined;
}

async function speakAll(run: Run, io: Io): Promise<void> {
  const { place, input, reading, survey, speech, voices, options, recognize } = run;
  const { quiet, verbose } = options;
  const warn = (message: string): void => void (quiet || printWarning(message, io));
  if (survey.broken > 0) warn(`${survey.broken} of ${survey.count} lines are invalid; they are listed at the end`);
  // Other lists may name recordings.
  if (reading.inputFormat === 'text' && isDenoiseUnused(options)) warn(unusedDenoise);
  const lifetime = followSignal(io.signal);
  const { signal } = lifetime;
  // Every line in flight listens.
  setMaxListeners(Number.POSITIVE_INFINITY, signal);
  const copy = isObjectUrl(place.name) ? await copyManifest(place, signal, warn) : undefined;
  await using manifest = await openManifest(place);
  const tally = createTally(survey.count, { ...options, maxBatch: speech.limit() }, io);
  const studio = createStudio(
    {
      ...options,
      place,
      speech,
      voices,
      recognize,
      onReady(info, seconds) {
        noteDemoModel(info, options, io);
        tally.begin(info);
        const { name, architecture, weightType, device } = info;
        const model = `model ${name} (${architecture}, ${weightType})`;
        if (verbose) printNote(`loaded ${model} on ${device} in ${formatSeconds(seconds)}`, io);
      },
      onWarning: warn,
    },
    { ...io, signal },
  );
  const desk: Desk = { manifest, tally, studio, hash: createRecordHash(speech, options, voices) };
  const utterances = readUtterances(input, reading);
  const end = (error: unknown): void => lifetime.end(toSvcError(error));
  const work = (utterance: Utterance | BrokenLine): Promise<void> =>
    ('problem' in utterance ? fail(utterance, {}, desk) : make(utterance, desk)).catch(end);
  try {
    // As many as share a pass over the weights, or as keep all workers busy. The first failure ends the others.
    await runInFlight(utterances, speech.limit, work, signal).catch(end);
    await copy?.finish().catch(end);
    if (signal.aborted) throw unfinished(toSvcError(signal.reason), tally);
  } finally {
    copy?.stop();
    tally.stop();
    lifetime.detach();
    await utterances.return();
  }
  tally.report(manifest.path);
}

interface Desk {
  readonly manifest: Manifest;
  readonly tally: Tally;
  readonly studio: Studio;
  readonly hash: HashRecord;
}

/** @throws SvcError when the batch can't continue */
async function make(utterance: Utterance, desk: Desk): Promise<void> {
  const { manifest, tally, studio, hash } = desk;
  const { id, line, record } = utterance;
  const textHash = createHash('sha256').update(record.text).digest('hex');
  let recordHash: string | undefined;
  try {
    recordHash = await hash(utterance);
    if (await manifest.isDone(utterance, recordHash)) return tally.skipped();
  } catch (error) {
    return fail({ id, line, problem: toSvcError(error) }, { textHash }, desk);
  }
  await studio.ready();
  try {
    const take = await studio.speak(utterance);
    await manifest.append({ id, line, status: 'done', ...take, recordHash, textHash, at: new Date() });
    tally.done(line, id, take);
  } catch (error) {
    const problem = toSvcError(error);
    if (problem.code === 'CANCELLED' || problem.code === 'IO') throw problem;
    await fail({ id, line, problem }, { recordHash, textHash }, desk);
  }
}

async function fail(
  { id, line, problem }: BrokenLine,
  hashes: { readonly recordHash?: string; readonly textHash?: string },
  { manifest, tally }: Desk,
): Promise<void> {
  const { recordHash = null, textHash = null } = hashes;
  const { code, message: error } = problem;
  await manifest.append({ id, line, status: 'failed', code, error, recordHash, textHash, at: new Date() });
  tally.failed(line, id, problem);
}

function unfinished({ code, message, cause }: SvcError, tally: Tally): SvcError {
  const rest = `${tally.progress()} are done; run the same command again to resume`;
  return new SvcError(code, `${message}; ${rest}`, { cause });
}
