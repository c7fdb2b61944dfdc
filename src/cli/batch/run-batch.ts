/** The work of `svc batch`: survey the lines, then speak those whose audio is missing. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readAudioFile } from '../../audio/decode/read-audio.ts';
import { followSignal } from '../../cancellation.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { isObjectUrl } from '../../speech-files/object-store.ts';
import type { Io } from '../io.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { readLexicons, withPromptFile } from '../options/text-input.ts';
import { type CommandVoices, openVoices, voiceRevision } from '../options/voice-choice.ts';
import { noteDemoModel } from '../output/demo-note.ts';
import { printNote, printWarning } from '../output/messages.ts';
import { checkSampleFormat } from '../output/output.ts';
import { checkSink } from '../output/speech-sink.ts';
import { formatSeconds } from '../output/units.ts';
import { isDenoiseUnused, unusedDenoise } from '../output/warnings.ts';
import type { BatchOptions } from './batch-options.ts';
import { type BatchProgress, createBatchProgress } from './batch-progress.ts';
import { createBatchSynthesizer } from './batch-synthesizer.ts';
import { runInFlight } from './in-flight.ts';
import { type BatchInput, openInput } from './input.ts';
import { type Manifest, openManifest } from './manifest.ts';
import { copyManifest } from './manifest-copy.ts';
import { resolveOutputTarget, withLockedOutput } from './output-target.ts';
import { createRecordHash, type HashRecord } from './record-hash.ts';
import { type BatchSpeech, chooseBatchSpeech, type SpeechChoice } from './speech.ts';
import {
  type BatchUtterance,
  type BrokenLine,
  readingOf,
  readUtterances,
  surveyInput,
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
  if (options.showSpoken) return (await import('./show-batch.ts')).showBatch(options, io);
  if (options.check) return (await import('./check-batch.ts')).checkBatch(options, io);
  const target = await resolveOutputTarget(options, io);
  await using input = await openInput(options.input, io, options.quiet);
  const reading = await readingOf(input, options);
  const recognize = await chooseRecognizer(options, io);
  await using voices = openVoices(options, io);
  // A voice or file that all lines would lack ends the batch before any of them.
  await checkDefaults(options, voices, io);
  const survey = await surveyInput(input, reading);
  for (const format of survey.formats) {
    await checkSink({ kind: 'stream', format, sampleFormat: 's16' }, options);
  }
  await using speech = await chooseBatchSpeech({ options, survey, target, recognize }, io);
  const note = (message: string): void => void (options.quiet || printNote(message, io));
  await withLockedOutput(target, { signal: io.signal, note }, (signal) =>
    speakAll({ target, input, reading, survey, speech, voices, options, recognize }, { ...io, signal }),
  );
}

/** Checks what the options name for all lines. @throws SvcError VOICE_NOT_FOUND, INVALID_REQUEST */
async function checkDefaults(options: BatchOptions, voices: CommandVoices, io: Io): Promise<void> {
  const { voice, voices: named = {}, promptAudio, referenceAudio } = options;
  const names = [...(voice === undefined ? [] : [voice]), ...Object.values(named)];
  for (const name of new Set(names)) await voiceRevision(name, voices);
  for (const path of [promptAudio, referenceAudio]) if (path !== undefined) await readAudioFile(path, io);
  await readLexicons(options, io);
}

interface Run extends SpeechChoice {
  readonly input: BatchInput;
  readonly reading: UtteranceOptions;
  readonly speech: BatchSpeech;
  readonly voices: CommandVoices;
}

async function speakAll(run: Run, io: Io): Promise<void> {
  const { target, input, reading, survey, speech, voices, options, recognize } = run;
  const { quiet, verbose } = options;
  const warn = (message: string): void => void (quiet || printWarning(message, io));
  if (survey.broken > 0) warn(`${survey.broken} of ${survey.count} lines are invalid; they are listed at the end`);
  // Other lists may name recordings.
  if (reading.inputFormat === 'text' && isDenoiseUnused(options)) warn(unusedDenoise);
  const lifetime = followSignal(io.signal);
  const { signal } = lifetime;
  // Every line in flight listens.
  setMaxListeners(Number.POSITIVE_INFINITY, signal);
  const copy = isObjectUrl(target.name) ? await copyManifest(target, signal, warn) : undefined;
  await using manifest = await openManifest(target);
  const progress = createBatchProgress(survey.count, { ...options, maxBatch: speech.limit() }, io);
  const synthesizer = createBatchSynthesizer(
    {
      ...{ ...options, target, speech, voices, recognize },
      onReady(info, seconds) {
        noteDemoModel(info, options, io);
        progress.begin(info);
        const { name, architecture, weightType, device } = info;
        const model = `model ${name} (${architecture}, ${weightType})`;
        if (verbose) printNote(`loaded ${model} on ${device} in ${formatSeconds(seconds)}`, io);
      },
      onWarning: warn,
    },
    { ...io, signal },
  );
  const context: BatchContext = { manifest, progress, synthesizer, hash: createRecordHash(speech, options, voices) };
  const utterances = readUtterances(input, reading);
  const end = (error: unknown): void => lifetime.end(toSvcError(error));
  const work = (utterance: BatchUtterance | BrokenLine): Promise<void> =>
    ('problem' in utterance ? fail(utterance, {}, context) : make(utterance, context)).catch(end);
  try {
    // As many as share a pass over the weights, or as keep all workers busy. The first failure ends the others.
    await runInFlight(utterances, speech.limit, work, signal).catch(end);
    await copy?.finish().catch(end);
    if (signal.aborted) throw unfinished(toSvcError(signal.reason), progress);
  } finally {
    copy?.stop();
    progress.stop();
    lifetime.detach();
    await utterances.return();
  }
  progress.report(manifest.path);
}

interface BatchContext {
  readonly manifest: Manifest;
  readonly progress: BatchProgress;
  readonly synthesizer: ReturnType<typeof createBatchSynthesizer>;
  readonly hash: HashRecord;
}

/** @throws SvcError when the batch can't continue */
async function make(utterance: BatchUtterance, context: BatchContext): Promise<void> {
  const { manifest, progress, synthesizer, hash } = context;
  const { id, line, record } = utterance;
  const textHash = createHash('sha256').update(record.text).digest('hex');
  let recordHash: string | undefined;
  try {
    recordHash = await hash(utterance);
    if (await manifest.isDone(utterance, recordHash)) return progress.skipped();
  } catch (error) {
    return fail({ id, line, problem: toSvcError(error) }, { textHash }, context);
  }
  await synthesizer.ready();
  try {
    const result = await synthesizer.speak(utterance);
    await manifest.append({ id, line, status: 'done', ...result, recordHash, textHash, at: new Date() });
    progress.done(line, id, result);
  } catch (error) {
    const problem = toSvcError(error);
    if (problem.code === 'CANCELLED' || problem.code === 'IO') throw problem;
    await fail({ id, line, problem }, { recordHash, textHash }, context);
  }
}

async function fail(
  { id, line, problem }: BrokenLine,
  hashes: { readonly recordHash?: string; readonly textHash?: string },
  { manifest, progress }: BatchContext,
): Promise<void> {
  const { recordHash = null, textHash = null } = hashes;
  const { code, message: error } = problem;
  await manifest.append({ id, line, status: 'failed', code, error, recordHash, textHash, at: new Date() });
  progress.failed(line, id, problem);
}

function unfinished({ code, message, cause }: SvcError, progress: BatchProgress): SvcError {
  const rest = `${progress.describe()} are done; run the same command again to resume`;
  return new SvcError(code, `${message}; ${rest}`, { cause });
}
