/** `svc batch --check`: finds what would make lines fail, without a model. */
import { assertAudible } from '../../audio/analyze/prompt-check.ts';
import { readAudioFile } from '../../audio/decode/read-audio.ts';
import { assertWords, hasSpeakableText } from '../../engine/accepted.ts';
import { unknownAdapter } from '../../engine/lora/adapter-catalog.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { inTurns } from '../../event-loop.ts';
import type { Io } from '../io.ts';
import { loraNames } from '../options/lora-options.ts';
import { readLexicons } from '../options/text-input.ts';
import { type CommandVoices, chooseVoiceOption, openVoices, voiceRevision } from '../options/voice-choice.ts';
import { printError, printJson, printNote, printWarning } from '../output/messages.ts';
import { type BatchOptions, chooseBatchBroker } from './batch-options.ts';
import { nameLine } from './batch-progress.ts';
import { type BatchInput, openInput } from './input.ts';
import { rememberRecent } from './recent.ts';
import type { ParsedRecord } from './record.ts';
import { type BatchUtterance, readingOf, readUtterances, surveyInput, type UtteranceOptions } from './utterances.ts';

/** Prints one line for each line of the input with a problem. @throws SvcError as `tryLines` */
export async function checkBatch(options: BatchOptions, io: Io): Promise<void> {
  await using input = await openInput(options.input, io, options.quiet);
  const reading = await readingOf(input, options);
  const broker = await chooseBatchBroker(options, io);
  await using voices = openVoices(options, io);
  const checkRecord = createRecordCheck(options, broker === undefined ? 'here' : 'workers', voices, io);
  const { count, failed, failure } = await tryLines(input, reading, checkRecord, io);
  // Finds lines with the same id.
  await surveyInput(input, reading);
  if (options.json) printJson({ utterances: count, valid: count - failed, failed }, io);
  if (failure !== undefined) throw failure;
  if (options.verbose || (io.stderr.isTTY === true && !options.quiet)) printNote(`all ${count} lines are valid`, io);
}

/**
 * Does `work` on each line of a list, and prints those with a problem as errors.
 *
 * @returns the failure of the list, with the code of the problems if they have one in common, else INTERNAL
 */
export async function tryLines(
  input: BatchInput,
  reading: UtteranceOptions,
  work: (utterance: BatchUtterance) => Promise<void>,
  io: Io,
): Promise<{ readonly count: number; readonly failed: number; readonly failure: SvcError | undefined }> {
  const codes = new Set<SvcError['code']>();
  let count = 0;
  let failed = 0;
  for await (const utterance of readUtterances(input, reading)) {
    io.signal.throwIfAborted();
    count += 1;
    try {
      if ('problem' in utterance) throw utterance.problem;
      await work(utterance);
    } catch (error) {
      const problem = toSvcError(error);
      if (problem.code === 'CANCELLED') throw problem;
      failed += 1;
      codes.add(problem.code);
      printError(`${nameLine(utterance.line, utterance.id)}: ${problem.message}`, io);
    }
  }
  const [code = 'INTERNAL'] = codes.size === 1 ? codes : [];
  return {
    count,
    failed,
    failure: failed > 0 ? new SvcError(code, `${failed} of ${count} lines have a problem`) : undefined,
  };
}

/** Rejects with the first problem of the voices and files of a record. */
function createRecordCheck(
  options: BatchOptions,
  adapters: 'here' | 'workers',
  voices: CommandVoices,
  io: Io,
): (parsed: ParsedRecord) => Promise<void> {
  const { quiet } = options;
  const loras = loraNames(options);
  const warn = (message: string): void => void (quiet || printWarning(message, io));
  const voice = rememberRecent(async (key) => {
    const [name, control = undefined] = JSON.parse(key) as string[];
    await chooseVoiceOption({ voice: name, control }, voices);
  });
  const named = rememberRecent(async (name) => void (await voiceRevision(name, voices)));
  const recordingAs = (role: 'prompt' | 'reference') =>
    rememberRecent(async (path) => assertAudible(await readAudioFile(path, io), `${role} audio`));
  const [prompt, reference] = [recordingAs('prompt'), recordingAs('reference')];
  const lexicon = rememberRecent(async (path) => {
    for (const warning of (await readLexicons({ lexicon: [path] }, io)).warnings) warn(warning);
  });
  return async ({ record, request, voiceNames }) => {
    const { voice: name, promptAudio, referenceAudio, control } = record;
    assertWords({ hasWords: await inTurns(hasSpeakableText(request.passages, request)) }, request);
    if (record.lora && adapters === 'here' && !loras.includes(record.lora)) throw unknownAdapter(record.lora, loras);
    if (name !== undefined) await voice(JSON.stringify(control === undefined ? [name] : [name, control]));
    for (const id of Object.values(voiceNames)) await named(id);
    if (promptAudio !== undefined) await prompt(promptAudio);
    if (referenceAudio !== undefined) await reference(referenceAudio);
    for (const path of record.lexicon ?? []) await lexicon(path);
  };
}
