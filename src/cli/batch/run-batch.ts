/** What `svc batch` does: survey the lines, then speak those whose audio is not there yet. */
import { createHash } from 'node:crypto';
import { ranges } from '../../engine/request.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { followSignal } from '../../follow-signal.ts';
import type { Io } from '../io.ts';
import { deviceOf } from '../model/engine-environment.ts';
import { chooseModel } from '../model/model-choice.ts';
import { checkSink } from '../output/speech-sink.ts';
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
 * Makes what is missing. A line that fails leaves the others alone; a full disk or a cancellation ends the run, and
 * the same command goes on from there.
 *
 * @throws SvcError; with the code of the failed lines when all have one, INTERNAL when they have several
 */
export async function runBatch(options: BatchOptions, io: Io): Promise<void> {
  const folder = await checkFolder(options.outputDir);
  await using input = await openInput(options.input, io);
  const inputFormat = options.inputFormat ?? (await detectFormat(input));
  const reading = { inputFormat, defaults: defaultsOf(options) };
  const survey = await surveyInput(input, reading);
  for (const format of survey.formats) {
    await checkSink({ kind: 'stream', format, sampleFormat: 's16' }, options);
  }
  const model = await findModel(survey, options, io);
  await withFolder(folder, io.signal, (signal) =>
    speakAll({ folder, input, reading, survey, model, options }, { ...io, signal }),
  );
}

interface Model {
  /** As the engine is given it: nothing for the demo model. */
  readonly path: string | undefined;
  readonly hash: string;
}

async function findModel({ count, broken }: Survey, options: BatchOptions, io: Io): Promise<Model> {
  // Nothing to speak: the lines only remain to be reported.
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
}

async function speakAll({ folder, input, reading, survey, model, options }: Run, io: Io): Promise<void> {
  const { maxBatch = ranges.maxBatch.default, threads, quiet, verbose } = options;
  const backend = options.backend ?? deviceOf(io);
  const note = (message: string): void => void (quiet || io.stderr.write(`svc: ${message}\n`));
  if (survey.broken > 0) {
    note(`warning: ${survey.broken} of ${survey.count} lines can't be spoken, they are listed at the end`);
  }
  const lifetime = followSignal(io.signal);
  const { signal } = lifetime;
  await using manifest = await openManifest(folder);
  const tally = createTally(survey.count, { ...options, maxBatch }, io);
  await using studio = createStudio(
    {
      ...options,
      folder,
      engineOptions: {
        modelPath: model.path,
        backend,
        threads,
        maxBatch,
      },
      onReady(info, seconds) {
        tally.begin(info);
        const { name, architecture, weightType, device } = info;
        const load = seconds.toFixed(3);
        if (verbose) note(`model ${name} (${architecture}, ${weightType}) on ${device}, loaded in ${load} s`);
      },
      onWarning: (warning) => note(`warning: ${warning}`),
    },
    { ...io, signal },
  );
  const desk: Desk = { manifest, tally, studio, hash: createRecordHash(model.hash, options, io) };
  const utterances = readUtterances(input, reading);
  const work = async (): Promise<void> => {
    for await (const utterance of taking(utterances)) {
      if (signal.aborted) return;
      await ('problem' in utterance ? fail(utterance, {}, desk) : make(utterance, desk));
    }
  };
  try {
    // As many at once as share a pass over the weights. The first that can't go on ends the others.
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

/** What several consumers take from together, without ending it when one of them ends. */
async function* taking<Item>(source: AsyncGenerator<Item, void, undefined>): AsyncGenerator<Item, void, undefined> {
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

interface Desk {
  readonly manifest: Manifest;
  readonly tally: Tally;
  readonly studio: Studio;
  readonly hash: HashRecord;
}

/** @throws SvcError when the batch can't go on */
async function make(utterance: Utterance, desk: Desk): Promise<void> {
  const { manifest, tally, studio, hash } = desk;
  const { id, line, file, record } = utterance;
  const textHash = createHash('sha256').update(record.text).digest('hex');
  let recordHash: string | undefined;
  try {
    recordHash = await hash(record);
    if (await manifest.isDone(id, recordHash, file)) return tally.skipped();
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
  const rest = `${tally.progress()} are done, the same command goes on from there`;
  return new SvcError(code, `${message}; ${rest}`, { cause });
}
