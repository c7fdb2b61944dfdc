/** `svc batch --show-spoken`: prints what the model gets of each line, without speaking. */
import { assertWords } from '../../engine/accepted.ts';
import { readingFieldsOf } from '../../engine/reading-fields.ts';
import { type SvcError, toSvcError } from '../../errors.ts';
import type { Io } from '../io.ts';
import { chooseModel } from '../model/model-choice.ts';
import { refuseOptions } from '../options/option-values.ts';
import { readLexicons } from '../options/script-options.ts';
import { type CommandVoices, chooseNamedVoices, chooseVoiceOption, openVoices } from '../options/voice-choice.ts';
import { printError } from '../output/messages.ts';
import { createWarner } from '../output/warnings.ts';
import { describePreview, openReader, plainPassage, previewRequest } from '../show-spoken.ts';
import { type BatchOptions, defaultsOf } from './batch-options.ts';
import { nameLine } from './batch-progress.ts';
import { failureOf } from './check-batch.ts';
import { openInput } from './input.ts';
import { rememberRecent } from './recent.ts';
import type { ParsedRecord } from './record.ts';
import { detectFormat, readUtterances } from './utterances.ts';

const remembered = 1000;

/** Prints each line as it is read, those with a problem as errors. @throws SvcError as `failureOf` */
export async function showBatch(options: BatchOptions, io: Io): Promise<void> {
  const speaking = ['outputDir', 'check', 'broker', 'manifest'] as const;
  refuseOptions(options, speaking, 'cannot be combined with --show-spoken, which speaks no line');
  await using input = await openInput(options.input, io, options.quiet);
  const inputFormat = options.inputFormat ?? (await detectFormat(input));
  const transcript = options.checkWith === undefined ? ('given' as const) : ('follows' as const);
  await using voices = openVoices(options, io);
  const warner = createWarner(options, io);
  const complete = createCompletion(voices, warner.report, io);
  const reader = await openReader({ modelPath: await chooseModel(options, io) }, io);
  const codes = new Set<SvcError['code']>();
  let count = 0;
  let failed = 0;
  for await (const utterance of readUtterances(input, { inputFormat, defaults: defaultsOf(options), transcript })) {
    io.signal.throwIfAborted();
    count += 1;
    const { line, id } = utterance;
    try {
      if ('problem' in utterance) throw utterance.problem;
      const request = await complete(utterance);
      const preview = await previewRequest(reader, request, 'request', io);
      assertWords({ hasWords: preview.passages.length > 0 }, request);
      warner.report(preview.warnings);
      if (options.json) {
        const { normalize, passages, warnings } = preview;
        const shown = { line, id, normalize, passages: passages.map(plainPassage), warnings };
        io.stdout.write(`${JSON.stringify(shown)}\n`);
        continue;
      }
      io.stdout.write(`${nameLine(line, id)}:\n`);
      for (const text of describePreview(preview, 1)) io.stdout.write(`${text}\n`);
    } catch (error) {
      const problem = toSvcError(error);
      if (problem.code === 'CANCELLED') throw problem;
      failed += 1;
      codes.add(problem.code);
      printError(`${nameLine(line, id)}: ${problem.message}`, io);
    }
  }
  if (failed > 0) throw failureOf(codes, failed, count);
}

/** Adds to the request of a line what its voices and lexicons say about how it is read. */
function createCompletion(voices: CommandVoices, report: (warnings: readonly string[]) => void, io: Io) {
  const voice = rememberRecent(remembered, (name) => chooseVoiceOption({ voice: name }, voices));
  const lexicon = rememberRecent(remembered, async (paths) => {
    const { entries, warnings } = await readLexicons({ lexicon: JSON.parse(paths) as string[] }, io);
    report(warnings);
    return entries;
  });
  return async ({ record, request, voiceNames }: ParsedRecord) => {
    const own = record.voice === undefined ? undefined : await voice(record.voice);
    const named = await chooseNamedVoices(voiceNames, request, voices);
    // A prompt leaves no place for styles, whatever it says.
    const promptText = record.promptAudio === undefined ? undefined : (record.promptText ?? '');
    const entries = record.lexicon && (await lexicon(JSON.stringify(record.lexicon)));
    return { ...request, ...readingFieldsOf(own, named), promptText, lexicon: entries };
  };
}
