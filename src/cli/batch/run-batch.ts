/** The work of `svc batch`: survey the lines, then speak those whose audio is missing. */
import { createHash } from 'node:crypto';
import type { Recognize } from '../../engine/recognize.ts';
import { ranges } from '../../engine/request.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { followSignal } from '../../follow-signal.ts';
import type { Io } from '../io.ts';
import { deviceOf, threadsOf } from '../model/engine-environment.ts';
import { type ChosenLoras, chooseLoras } from '../model/lora-choice.ts';
import { chooseModel } from '../model/model-choice.ts';
import { chooseRecognizer } from '../options/recognizer.ts';
import { withPromptFile } from '../options/text-input.ts';
import { printNote, printWarning } from '../output/messages.ts';
import { checkSampleFormat } from '../output/output.ts';
import { checkSink } from '../output/speech-sink.ts';
import { formatSeconds } from '../output/units.ts';
import { isDenoiseUnused, unusedDenoise } from '../output/warnings.ts';
import { type BatchOptions, defaultsOf } from './batch-options.ts';
import { type BatchInput, openInput } from './input.ts';
import { type Manifest, openManifest } from './manifest.ts';
import { checkFolder, withFolder } from './output-folder.ts';
import { createRecordHash, type HashRecord, hashModel } from './record-hash.ts';
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
  const folder = await checkFolder(options.outputDir);
  await using input = await openInput(options.input, io);
  const inputFormat = options.inputFormat ?? (await detectFormat(input));
  const recognize = await chooseRecognizer(options, io);
  const transcripts = recognize === undefined ? ('required' as const) : ('optional' as const);
  const reading = { inputFormat, defaults: defaultsOf(options), transcripts };
  const survey = await surveyInput(input, reading);
  for (const format of survey.formats) {
    await checkSink({ kind: 'stream', format, sampleFormat: 's16' }, options);
  }
  const loras = await chooseLoras(options, io);
  const model = await findModel(survey, options, io);
  await withFolder(folder, io.signal, (signal) =>
    speakAll({ folder, input, reading, survey, model, options, recognize, loras }, { ...io, signal }),
  );
}

interface Model {
  /** Undefined for the demo model. */
  readonly path: string | undefined;
  readonly hash: string;
}

async function findModel({ count, broken }: Survey, options: BatchOptions, io: Io): Promise<Model> {
  // Nothing to speak: only the errors are reported.
  if (broken === count) return { path: undefined, hash: '' };
  const path = await chooseModel(options, io);
  const { resolveModelPath } = await import('../../engine/open-engine.ts');
  return { path, hash: await hashModel(await resolveModelPath(path), io.signal) };
}

interface Run {
  readonly folder: string;
  readonly input: BatchInput;
  readonly reading: UtteranceOptions;
  readonly survey: Survey;
  readonly model: Model;
  readonly options: BatchOptions;
  readonly recognize: Recognize | undefined;
  readonly loras: ChosenLoras;
}

async function speakAll(
  { folder, input, reading, survey, model, options, recognize, loras }: Run,
  io: Io,
): Promise<void> {
  const { maxBatch = ranges.maxBatch.default, threads = threadsOf(io), quiet, verbose } = options;
  const backend = options.backend ?? deviceOf(io);
  const warn = (message: string): void => void (quiet || printWarning(message, io));
  if (survey.broken > 0) warn(`${survey.broken} of ${survey.count} lines are invalid; they are listed at the end`);
  // Other lists may name recordings.
  if (reading.inputFormat === 'text' && isDenoiseUnused(options)) warn(unusedDenoise);
  const lifetime = followSignal(io.signal);
  const { signal } = lifetime;
  await using manifest = await openManifest(folder);
  const tally = createTally(survey.count, { ...options, maxBatch }, io);
  await using studio = createStudio(
    {
      ...options,
      folder,
      recognize,
      loras: loras.catalog,
      engineOptions: {
        modelPath: model.path,
        backend,
        threads,
        maxBatch,
      },
      onReady(info, seconds) {
        tally.begin(info);
        const { name, architecture, weightType, device } = info;
        const model = `model ${name} (${architecture}, ${weightType})`;
        if (verbose) printNote(`loaded ${model} on ${device} in ${formatSeconds(seconds)}`, io);
      },
      onWarning: warn,
    },
    { ...io, signal },
  );
  const desk: Desk = {
    manifest,
    tally,
    studio,
    hash: createRecordHash(model.hash, { ...options, loraRevision: loras.revision }, io),
  };
  const utterances = readUtterances(input, reading);
  const work = async (): Promise<void> => {
    for await (const utterance of taking(utterances)) {
      if (signal.aborted) return;
      await ('problem' in utterance ? fail(utterance, {}, desk) : make(utterance, desk));
    }
  };
  try {
    // As many workers as utterances share a pass over the weights. The first one that fails ends the others.
    const workers = Array.from({ length: maxBatch }, () =>
      work().catch((error: unknown) => lifetime.end(toSvcError(error))),
    );
    await Promise.all(workers);
    if (signal.aborted) throw unfinished(toSvcError(signal.reason), tally);
  } finally {
    tally.stop();
    lifetime.detach();
    await utterances.return();
  }
  tally.report(manifest.path);
}

/** Shares a generator among several consumers: one that stops early does not end it. */
async function* taking<Item>(source: AsyncGenerator<Item, void, undefined>): AsyncGenerator<Item, void, undefined> {
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
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
    recordHash = await hash(record);
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
