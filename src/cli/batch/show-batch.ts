/** `svc batch --show-spoken`: prints what the model gets of each line, without speaking. */
import { assertWords } from '../../engine/accepted.ts';
import { readingFieldsOf } from '../../engine/reading-fields.ts';
import type { Io } from '../io.ts';
import { chooseModel } from '../model/model-choice.ts';
import { refuseOptions } from '../options/option-values.ts';
import { readLexicons } from '../options/text-input.ts';
import { type CommandVoices, chooseNamedVoices, chooseVoiceOption, openVoices } from '../options/voice-choice.ts';
import { printJson, printLine } from '../output/messages.ts';
import { createWarner } from '../output/warnings.ts';
import { describePreview, openReader, plainPassage, previewRequest } from '../show-spoken.ts';
import type { BatchOptions } from './batch-options.ts';
import { nameLine } from './batch-progress.ts';
import { tryLines } from './check-batch.ts';
import { openInput } from './input.ts';
import { rememberRecent } from './recent.ts';
import type { ParsedRecord } from './record.ts';
import { type BatchUtterance, readingOf } from './utterances.ts';

/** Prints each line as it is read, those with a problem as errors. @throws SvcError as `tryLines` */
export async function showBatch(options: BatchOptions, io: Io): Promise<void> {
  const speaking = ['outputDir', 'check', 'broker', 'manifest'] as const;
  refuseOptions(options, speaking, 'cannot be combined with --show-spoken, which speaks no line');
  await using input = await openInput(options.input, io, options.quiet);
  const reading = await readingOf(input, options);
  await using voices = openVoices(options, io);
  const warner = createWarner(options, io);
  const complete = createCompletion(voices, warner.report, io);
  const reader = await openReader({ modelPath: await chooseModel(options, io) }, io);
  const show = async (utterance: BatchUtterance): Promise<void> => {
    const { line, id } = utterance;
    const request = await complete(utterance);
    const preview = await previewRequest(reader, request, 'request', io);
    assertWords({ hasWords: preview.passages.length > 0 }, request);
    warner.report(preview.warnings);
    const { normalize, passages, warnings } = preview;
    if (options.json) return printJson({ line, id, normalize, passages: passages.map(plainPassage), warnings }, io);
    printLine(`${nameLine(line, id)}:`, io);
    for (const text of describePreview(preview, 1)) printLine(text, io);
  };
  const { failure } = await tryLines(input, reading, show, io);
  if (failure !== undefined) throw failure;
}

/** Adds to the request of a line what its voices and lexicons say about how it is read. */
function createCompletion(voices: CommandVoices, report: (warnings: readonly string[]) => void, io: Io) {
  const voice = rememberRecent((name) => chooseVoiceOption({ voice: name }, voices));
  const lexicon = rememberRecent(async (paths) => {
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
